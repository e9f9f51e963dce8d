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
  /** The 99th percentile of the milliseconds in which events were answered, of the first half of the events and of the second. */
  ingest_p99_ms: readonly [number, number]
}

const p99 = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * 0.99) - 1] ?? 0

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
  const took = desk.events.map(({ ms }) => ms)
  const half = Math.ceil(took.length / 2)
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
  return { outcome, wanted, seconds, ingest_p99_ms: [p99(took.slice(0, half)), p99(took.slice(half))] }
}
