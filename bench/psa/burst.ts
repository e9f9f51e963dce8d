/** Many tickets at once, each of which gets a note. */

import { faultsOf } from '../../test/load/faults.ts'
import { type Budget, budgetFor, fewestRequests, secondsFor, type Vendor } from '../../test/load/floor.ts'
import { ended, type Outcome, outcomeOf, waitingForPeople } from '../../test/load/outcome.ts'
import { type Site, withPlace } from './place.ts'

export interface Burst {
  budget: Budget
  tickets: number
  /** Whether all ended in the time. */
  ended: boolean
  seconds: number
  floor_seconds: number
  /** The shortest time for the requests that were made. */
  paced_seconds: number
  requests: number
  floor_requests: number
  by_kind: Map<string, number>
  outcome: Outcome
  waiting: number
  /** The milliseconds of the answers to events. */
  ingest_ms: number[]
}

/** The time that is allowed, in floors. */
const PATIENCE = 4

/** Requests of the double from now on. */
export function requestsFrom({ double }: Site): () => { requests: number; by_kind: Map<string, number> } {
  const { counts } = double.vendor
  const before = new Map(counts.by_kind)
  return () => {
    const by_kind = new Map<string, number>()
    for (const [kind, count] of counts.by_kind) {
      const more = count - (before.get(kind) ?? 0)
      if (more > 0) by_kind.set(kind, more)
    }
    return { requests: [...by_kind.values()].reduce((sum, count) => sum + count, 0), by_kind }
  }
}

const SENDERS = 20

/** Writes tickets, and sends some events at a time. */
export async function writeAll({ desk }: Pick<Site, 'desk'>, tickets: number): Promise<void> {
  let left = tickets
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      while (left-- > 0) await desk.write()
    }),
  )
}

export async function burst(
  vendor: Vendor,
  { tickets, seconds, errors = 0 }: { tickets: number; seconds: number; errors?: number },
): Promise<Burst> {
  const floor_requests = fewestRequests(vendor, tickets, errors)
  const budget = budgetFor(vendor, floor_requests, seconds)
  return await withPlace({ budgets: [budget], vendors: [vendor] }, async ({ sites }) => {
    const [site] = sites as [Site]
    await site.leave(budget.at_start)
    const made = requestsFrom(site)
    if (errors > 0) site.double.vendor.chance.fault = faultsOf(1, errors, ['ERROR'])
    const started = performance.now()
    await writeAll(site, tickets)
    const has_ended = await ended(site.calls, site.desk, PATIENCE * seconds * 1000)
    const elapsed = (performance.now() - started) / 1000
    const { requests, by_kind } = made()
    const outcome = await outcomeOf(site.calls, site.desk)
    return {
      budget,
      tickets,
      ended: has_ended,
      seconds: elapsed,
      floor_seconds: secondsFor(budget, floor_requests),
      paced_seconds: secondsFor(budget, requests),
      requests,
      floor_requests,
      by_kind,
      outcome,
      waiting: waitingForPeople(outcome),
      ingest_ms: site.desk.events.map(({ ms }) => ms),
    }
  })
}
