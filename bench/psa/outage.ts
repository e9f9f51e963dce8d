/** An outage of PSAs, which begins when events of tickets have come. */
import { setTimeout as sleep } from 'node:timers/promises'
import { budgetOf, type Vendor } from '../../test/load/floor.ts'
import { ended } from '../../test/load/outcome.ts'
import { writeAll } from './burst.ts'
import { type Site, withPlace } from './place.ts'

const TICKETS = 50
const OUTAGE_MS = 180_000
const PATIENCE_MS = 300_000
const LOOK_MS = 200

export interface Outage {
  /** Seconds from the end of the outage until no callback is under way; null: some still were at the end of the time. */
  seconds: number | null
  /** The requests that were made during the outage. */
  requests_meanwhile: number
}

/** Seconds until every ticket was processed. */
async function processed({ calls }: Site): Promise<number | null> {
  const started = performance.now()
  for (const end = started + PATIENCE_MS; performance.now() < end; await sleep(LOOK_MS)) {
    const { callbacks } = await calls.call('GET', '/observability/callback-funnel')
    if (callbacks.processed > TICKETS) return (performance.now() - started) / 1000
  }
  return null
}

async function outageOf(site: Site): Promise<Outage> {
  const { desk, double, calls } = site
  // A ticket without an outage: the service knows the PSA's key then.
  await desk.write()
  await ended(calls, desk, PATIENCE_MS)
  double.vendor.chance.fault = () => 'UNAVAILABLE'
  const before = double.vendor.requests.length
  await writeAll(site, TICKETS)
  await sleep(OUTAGE_MS)
  const requests_meanwhile = double.vendor.requests.length - before
  double.vendor.chance.fault = null
  return { seconds: await processed(site), requests_meanwhile }
}

/** The outages of several PSAs at the same time, each of a tenant of its own. */
export async function outages(vendors: readonly Vendor[]): Promise<Map<Vendor, Outage>> {
  const budgets = vendors.map((vendor) => budgetOf(vendor, 1000))
  return await withPlace({ budgets, vendors }, async ({ sites }) => {
    const found = await Promise.all(sites.map(async (site) => [site.vendor, await outageOf(site)] as const))
    return new Map(found)
  })
}
