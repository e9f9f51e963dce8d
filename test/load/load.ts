/** Tickets that people write at a steady rate while the PSA fails now and then, and the outcome that all of it must have. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PsaDouble } from '../setup/psa-doubles/double.ts'
import { type Desk, openDesk } from './desk.ts'
import { faultsOf, randomOf } from './faults.ts'
import { ended, type Outcome, outcomeOf } from './outcome.ts'
import type { Calls } from './tenant.ts'

export interface LoadOptions {
  tickets: number
  /** The time in which the tickets are written. */
  over_ms: number
  /** The share of the PSA's answers that are faults, and of the answers to events that the PSA does not get. */
  failing: number
  seed: number
  within_ms: number
  /** Done meanwhile. */
  meanwhile?: (desk: Desk) => Promise<void>
}

interface Loaded {
  outcome: Outcome
  /** The outcome of tickets that each have exactly one note, without any help of a person. */
  wanted: Outcome
  /** The seconds until all had ended; null: it did not. */
  seconds: number | null
}

export async function load(
  calls: Calls,
  double: PsaDouble,
  base: string,
  { tickets, over_ms, failing, seed, within_ms, meanwhile }: LoadOptions,
): Promise<Loaded> {
  const random = randomOf(seed + 1)
  const desk = openDesk(double, base, { isLost: () => random() < failing })
  double.vendor.chance.fault = faultsOf(seed, failing)
  const started = performance.now()
  const other = meanwhile?.(desk)
  for (let written = 0; written < tickets; written++) {
    void desk.write()
    await sleep(over_ms / tickets)
  }
  await other
  const has_ended = await ended(calls, desk, within_ms)
  const seconds = has_ended ? (performance.now() - started) / 1000 : null
  const outcome = await outcomeOf(calls, desk)
  const received = new Set(desk.events.map(({ event_id }) => event_id)).size
  const wanted: Outcome = {
    executions: { COMPLETED: tickets },
    run_twice: [],
    funnel: {
      received,
      processed: tickets,
      // The PSA tells of the notes of the agent too.
      filtered_out: received - tickets,
      failed: 0,
      in_flight: 0,
    },
    under_way: [],
    til_requests: 0,
    notes: { 1: tickets },
    other_notes: 0,
    refused: {},
  }
  return { outcome, wanted, seconds }
}
