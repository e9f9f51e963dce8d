/** One ticket alone, and the most requests at once that tickets make of two workers. */
import { budgetOf, type Vendor } from '../../test/load/floor.ts'
import { ended } from '../../test/load/outcome.ts'
import { requestsFrom, writeAll } from './burst.ts'
import { type Site, withPlace } from './place.ts'

const TICKETS = 60
const PATIENCE_MS = 120_000
/** The time after which the PSA serves a request. */
const SERVED_MS = 50

export interface Single {
  /** Requests from the event of a ticket until it and the event of its note have ended. */
  requests: number
  by_kind: Map<string, number>
  /** The most requests at once for one kind of object, and the object. */
  at_once: number
  object: string
}

export async function single(vendor: Vendor): Promise<Single> {
  return await withPlace({ budgets: [budgetOf(vendor, 1000)], vendors: [vendor] }, async ({ sites }) => {
    const [site] = sites as [Site]
    const { desk, calls, double } = site
    // What the service asks once it has of a first ticket.
    await desk.write()
    await ended(calls, desk, PATIENCE_MS)
    const made = requestsFrom(site)
    await desk.write()
    await ended(calls, desk, PATIENCE_MS)
    const alone = made()
    const { pace, counts } = double.vendor
    pace.ms = SERVED_MS
    counts.at_once.clear()
    await writeAll(site, TICKETS)
    await ended(calls, desk, PATIENCE_MS)
    const [object, at_once] = [...counts.at_once].reduce((most, one) => (one[1] > most[1] ? one : most), [
      '',
      0,
    ] as [string, number])
    return { ...alone, object, at_once }
  })
}
