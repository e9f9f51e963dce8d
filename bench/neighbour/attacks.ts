/** Each way in which one tenant, or its PSA, keeps the service busy. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Halo } from '../../test/doubles/halo/server.ts'
import { endless } from '../../test/doubles/hostile.ts'
import { connected } from '../data/databases.ts'
import { hostile, ingest_path, longNameOf, nameOf, neighbour, pollNow } from './data.ts'

interface Place {
  base: string
  url: string
  double: Halo
}

/** What goes on until the signal aborts. It resolves with what is to be told of it beside the latency. */
export interface Attack {
  name: string
  run(place: Place, signal: AbortSignal): Promise<string>
}

/** It reads the companies of the PSA, which nothing keeps, at each call. */
const FILTERS = '/public-api/company-filters'
/** It reads the ticket. */
const TEST_MATCH = '/public-api/callbacks/test-match'
const ticketCreated = () => JSON.stringify({ entity_id: '1', change_types: ['TICKET_CREATED'] })
const CUSTOMERS = '/public-api/integrations/hudu/customers'
const JSON_TYPE = 'application/json'
const NDJSON = 'application/x-ndjson'

interface Call {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  key?: string
  type?: string
  body?: () => string | Buffer
}

async function statusOf(pool: Pool, { method, path, key, type = JSON_TYPE, body }: Call): Promise<number> {
  const answer = await pool.request({
    method,
    path,
    headers: { 'content-type': type, ...(key && { authorization: `Bearer ${key}` }) },
    body: body?.() ?? null,
  })
  await answer.body.dump()
  return answer.statusCode
}

const told = (statuses: ReadonlyMap<number, number>): string =>
  [...statuses].map(([status, count]) => `${count} of ${status}`).join(', ')

/**
 * Between an answer and the next call of the same connection: the attack is what calls do, and not how many there are. Forty
 * calls a second are more than the limits of the service let one key make for long.
 */
const PAUSE_MS = 100
const PAUSE_OF_MANY_MS = 1_000

/** The call from so many connections, each time it is answered. It tells of the statuses. */
async function repeated(
  { base }: Place,
  signal: AbortSignal,
  { at_once, pause_ms = PAUSE_MS }: { at_once: number; pause_ms?: number },
  call: Call,
): Promise<string> {
  const pool = new Pool(base, { connections: at_once })
  const statuses = new Map<number, number>()
  const send = async (): Promise<void> => {
    while (!signal.aborted) {
      const status = await statusOf(pool, call)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      await sleep(pause_ms)
    }
  }
  await Promise.all(Array.from({ length: at_once }, send))
  await pool.close()
  return told(statuses)
}

const LARGE_ROWS = 4_500
const LARGE_TEXT = 'x'.repeat(800)
const SLOW_MS = 1_000

const put = (name: string, type: string, body: string | Buffer): Attack => ({
  name,
  run: (place, signal) =>
    repeated(
      place,
      signal,
      { at_once: 2 },
      { method: 'PUT', path: CUSTOMERS, key: hostile.key, type, body: () => body },
    ),
})

const customers = (name: (number: number) => string): string =>
  JSON.stringify({
    customers: Array.from({ length: 10_000 }, (_, n) => ({ external_id: `${n}`, name: name(n) })),
  })

const BODY_BYTES = 8 * 1024 * 1024
const filled = (text: string): string => text.repeat(BODY_BYTES / text.length)

/** The answer to the neighbour's own call, which needs the PSA that is slow. */
async function ownCalls({ base }: Place, signal: AbortSignal): Promise<string> {
  const pool = new Pool(base)
  const statuses = new Map<number, number>()
  while (!signal.aborted) {
    const status = await statusOf(pool, { method: 'GET', path: FILTERS, key: neighbour.key })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    await sleep(500)
  }
  await pool.close()
  if ([...statuses.keys()].some((status) => status !== 200))
    throw new Error(`The neighbour's own calls were answered with ${told(statuses)}`)
  return told(statuses)
}

let events = 0

const delivery = (): string =>
  JSON.stringify(
    Array.from({ length: 1_000 }, () => ({
      id: ++events,
      event: 'Ticket Updated',
      object_id: 1 + (events % 5_000),
    })),
  )

export const ATTACKS: readonly Attack[] = [
  {
    name: 'lists of 4 MB pages without an end, 24 calls at once',
    async run(place, signal) {
      place.double.hostile.play = endless(LARGE_ROWS, { notes: LARGE_TEXT })
      const call = { method: 'GET', path: FILTERS, key: hostile.key } as const
      return await repeated(place, signal, { at_once: 24, pause_ms: PAUSE_OF_MANY_MS }, call)
    },
  },
  {
    name: 'a PSA that answers after a second, 40 calls at once',
    async run(place, signal) {
      place.double.hostile.play = async (response, { status, body }) => {
        await sleep(SLOW_MS)
        response.writeHead(status, { 'content-type': JSON_TYPE }).end(JSON.stringify(body))
      }
      const call = { method: 'POST', path: TEST_MATCH, key: hostile.key, body: ticketCreated } as const
      const [own, theirs] = await Promise.all([
        ownCalls(place, signal),
        repeated(place, signal, { at_once: 40, pause_ms: PAUSE_OF_MANY_MS }, call),
      ])
      return `${theirs}; the neighbour’s own calls: ${own}`
    },
  },
  put('8 MB of NDJSON lines of `1`', NDJSON, filled('1\n')),
  put('8 MB of NDJSON lines of `{}`', NDJSON, filled('{}\n')),
  put('a JSON list of 2.7 million `[]`', JSON_TYPE, `[${'[],'.repeat(BODY_BYTES / 3 - 2)}[]]`),
  put('10,000 customers with ordinary names', JSON_TYPE, customers(nameOf)),
  put('10,000 customers with names of 500 characters', JSON_TYPE, customers(longNameOf)),
  {
    name: 'deliveries of 1,000 events',
    run: (place, signal) =>
      repeated(place, signal, { at_once: 4 }, { method: 'POST', path: ingest_path, body: delivery }),
  },
  {
    name: 'a poll whose pages are always new',
    async run({ double, url }, signal) {
      double.hostile.play = endless(500)
      return await connected(url, async (client) => {
        while (!signal.aborted) {
          await pollNow(client)
          await sleep(500)
        }
        const { rows } = await client.query('select count(*)::int as count from callback')
        return `${rows[0].count} callbacks`
      })
    },
  },
]
