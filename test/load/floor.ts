/** The fewest requests by which tickets get their notes, and the shortest time in which a budget admits them. */
import pg from 'pg'
import { adaptersOf } from '../../src/composition/adapters.ts'
import { createVendorClient } from '../../src/connectors/http/client.ts'

export type Vendor = 'connectwise' | 'autotask' | 'halo'

interface Facts {
  system: string
  limit: string
  window_seconds: number
  /** The PSA tells the service of the service's own note. */
  tells_of_notes: boolean
  /** The questions before a note that was not made is made again: a query that may be late is asked twice. */
  questions: number
}

export const FACTS: Readonly<Record<Vendor, Facts>> = {
  connectwise: {
    system: 'CONNECTWISE_PSA',
    limit: 'connectwise_psa_requests',
    window_seconds: 60,
    tells_of_notes: true,
    questions: 1,
  },
  autotask: {
    system: 'AUTOTASK_PSA',
    limit: 'autotask_psa_requests',
    window_seconds: 3600,
    // Its webhooks exclude what the API's user does.
    tells_of_notes: false,
    questions: 2,
  },
  halo: {
    system: 'HALO_PSA',
    limit: 'halo_psa_requests',
    window_seconds: 300,
    tells_of_notes: false,
    questions: 1,
  },
}

/** The tickets that one group of requests reads. */
const GROUP = 10

const client = createVendorClient({ allow_private_addresses: true })
const { psa } = adaptersOf(client)
await client.close()

/**
 * The fewest requests: the reads of the event, the note, and the reads of the event of the note. A share of the answers are errors:
 * each of their requests is made again, and whether a note was made is asked before.
 */
export function fewestRequests(vendor: Vendor, tickets: number, errors = 0): number {
  const { system, tells_of_notes, questions } = FACTS[vendor]
  const adapter = psa.find((one) => one.system === system)
  if (!adapter?.requests_for_tickets) throw new Error(`The requests of ${system} are unknown`)
  const read = (tickets * adapter.requests_for_tickets(GROUP)) / GROUP
  const asked = (questions * tickets * errors) / (1 - errors)
  return Math.ceil((read * (tells_of_notes ? 2 : 1) + tickets + asked) / (1 - errors))
}

export interface Budget {
  vendor: Vendor
  /** The requests of a window, as `LIMITS` says it. */
  quota: number
  /** The requests that may be made at once at the start. */
  at_start: number
  requests_a_second: number
}

/** The part of the requests that may be made at once. */
const AT_START = 0.1

/** The budget that admits so many requests in so many seconds. */
export function budgetFor(vendor: Vendor, requests: number, seconds: number): Budget {
  const { window_seconds } = FACTS[vendor]
  const at_start = Math.ceil(requests * AT_START)
  const quota = Math.ceil(((requests - at_start) / seconds) * window_seconds)
  return { vendor, quota, at_start: Math.min(at_start, quota), requests_a_second: quota / window_seconds }
}

/** A budget of so many requests a second, which is full at the start. */
export function budgetOf(vendor: Vendor, requests_a_second: number): Budget {
  const quota = requests_a_second * FACTS[vendor].window_seconds
  return { vendor, quota, at_start: quota, requests_a_second }
}

/** The shortest time in which the budget admits the requests. */
export const secondsFor = ({ at_start, requests_a_second }: Budget, requests: number): number =>
  Math.max(0, (requests - at_start) / requests_a_second)

/** Leaves so many requests in the tenant's budget, which is in the PostgreSQL database at the address. */
export async function leaveRequests(
  database_url: string,
  vendor: Vendor,
  tenant_id: string,
  requests: number,
): Promise<void> {
  const client = new pg.Client(database_url)
  await client.connect()
  const key = `${FACTS[vendor].limit}:${tenant_id}`
  // A bucket that is full may have no row.
  await client
    .query(
      `insert into rate_bucket (key, tokens, burst_tokens, granted, refilled_at)
       values ($2, $1, $1, 0, clock_timestamp())
       on conflict (key) do update set tokens = $1, burst_tokens = $1, refilled_at = clock_timestamp()`,
      [requests, key],
    )
    .finally(() => client.end())
}
