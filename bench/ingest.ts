/**
 * `npm run bench:ingest`: requests a second of the address for the events of a PSA beside a hand-written floor. It needs
 * PostgreSQL (`BENCH_DATABASE_URL`).
 */
import { Pool } from 'undici'
import { PROCESS_CALLBACK } from '../src/areas/callbacks/processing/job.ts'
import { queueOf } from '../src/jobs/queue.ts'
import { SETTINGS, startConnectwise } from '../test/doubles/connectwise/server.ts'
import { type Contender, start } from './contender.ts'
import { connected, SERVER, urlOf } from './data/databases.ts'
import { median, ratio } from './figures.ts'
import { CONNECTION_ID, ENCRYPTION_KEY, place, SECRET, storeTenant } from './ingest/data.ts'
import { table, two } from './markdown.ts'
import { program, runScript } from './service.ts'

const ROUNDS = 6
const ROUND_MS = 3000
const CONNECTIONS = 16

const NAME = 'automation_service_bench_ingest'
const SIGNING_KEY = 'signing-key-1'

const remade = async (): Promise<string> => {
  await connected(SERVER, async (client) => {
    await client.query(`drop database if exists ${NAME} with (force)`)
    await client.query(`create database ${NAME}`)
  })
  const url = urlOf(NAME)
  runScript('migrate', url, place.environment)
  return url
}

const double = await startConnectwise({ now: () => new Date() })
const path = `/ingest/psa/${CONNECTION_ID}?secret=${SECRET}&id=1&action=updated`
let events = 0

/** A new event of the ticket. */
function event(ticket_id: number, Action: 'added' | 'updated') {
  const Entity = JSON.stringify({ id: ticket_id, summary: 'Printer', text: 'x'.repeat(1500) })
  const { raw, headers } = double.callback({
    MessageId: `m${++events}`,
    Action,
    Type: 'ticket',
    ID: ticket_id,
    Entity,
  })
  return { body: raw, headers: { ...headers, 'content-type': 'application/json' } }
}

/** Requests a second, from so many connections at once. */
async function rateOf({ base }: Contender): Promise<number> {
  const pool = new Pool(base, { connections: CONNECTIONS })
  const began = performance.now()
  let answered = 0
  const send = async (): Promise<void> => {
    while (performance.now() - began < ROUND_MS) {
      const answer = await pool.request({ path, method: 'POST', ...event(1, 'updated') })
      await answer.body.dump()
      if (answer.statusCode !== 202) throw new Error(`An event was answered with ${answer.statusCode}`)
      answered++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  const rate = (answered / (performance.now() - began)) * 1000
  await pool.close()
  return rate
}

const url = await remade()
await storeTenant(url, { ...SETTINGS, site: double.url })

const startService = (name: string, ROLE: string): Promise<Contender> =>
  start(name, program, {
    DATABASE_URL: url,
    ENVIRONMENT: place.environment,
    ROLE,
    PORT: '0',
    DB_POOL_SIZE: '10',
    ENCRYPTION_KEYS: `${ENCRYPTION_KEY.id}:${ENCRYPTION_KEY.key.toString('base64')}`,
    KEY_PEPPER: 'the pepper of the benchmark',
    SIGNING_SECRETS: 'the signing secret of the benchmark',
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LIMITS: 'ingest_connection=1000000000',
  })

const startFloor = (name: string): Promise<Contender> =>
  start(name, 'ingest/floor.ts', {
    DATABASE_URL: url,
    QUEUE: queueOf(place.environment, PROCESS_CALLBACK),
    TENANT: place.tenant_id,
    ENVIRONMENT: place.environment,
    SIGNING_KEY,
    SECRET,
  })

/** Of each contender, requests a second in each round. */
async function rates(): Promise<Map<string, number[]>> {
  const contenders = [
    await startFloor('floor'),
    await startFloor('floor again'),
    await startService('this service', 'api'),
  ]
  const found = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (let round = -1; round < ROUNDS; round++)
    for (const contender of round % 2 ? contenders.toReversed() : contenders) {
      const rate = await rateOf(contender)
      if (round >= 0) found.get(contender.name)?.push(rate)
    }
  for (const { stop } of contenders) await stop()
  return found
}

const found = await rates()
const floor = found.get('floor') ?? []
console.log(`\n${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND_MS / 1000} s; events of 1.7 kB\n`)
const rows = [...found].map(([name, numbers]) => {
  const { median: middle, min, max } = ratio(numbers, floor)
  return [name, median(numbers).toFixed(0), two(middle), two(min), two(max)]
})
console.log(table(['ingest', 'requests/s', 'of the floor', 'least', 'most'], rows))
await double.close()
process.exit(0)
