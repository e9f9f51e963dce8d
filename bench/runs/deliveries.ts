/**
 * Deliveries of webhooks: how many a second on one worker and on two, and how long an event takes to a healthy endpoint
 * while others are dead or slow.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { raisedBy } from '../../src/db/live/raise.ts'
import { type Contender, start } from '../contender.ts'
import { connected } from '../data/databases.ts'
import { onCopy } from '../data/kept.ts'
import { ENVIRONMENT, type Tenant } from '../data/tenants.ts'
import { progress } from '../progress.ts'
import { chainOf, runsDatabase, tenants } from './data.ts'
import { addressOf, type Manner, WAITS } from './manners.ts'
import type { DeliveriesEffort } from './options.ts'
import { oneAndTwo, type Phase, phaseOf, type Window } from './phases.ts'
import { post, startApi, startWorker } from './processes.ts'

/** More of all tenants than two workers have places for. */
const OF_TENANT = 4
export const ENDPOINTS = OF_TENANT * tenants.length
/** The part of what two workers can do at which waits are measured. */
export const PART = 1 / 3

export interface Deliveries {
  phases: Phase[]
  /** Events a second, each to the endpoints of its tenant, while waits were measured on two workers. */
  events_a_second: number
  /** Milliseconds from the write of each event to its arrival at each healthy endpoint. */
  waits_ms: number[]
}

/** Receivers listen on the loopback interface, which production refuses. */
const ENV = { NODE_ENV: 'development', ALLOW_PRIVATE_ADDRESSES: 'true' }

/** Endpoints that a worker sends to at once. */
const PLACES = 12
const SETTLE_MS = 3_000
/** More than two workers deliver. */
const MOST_A_SECOND = 1_500
const LOOK_MS = 100
const PATIENCE_MS = 60_000

/** Every tenth is dead, half of those because nobody listens there, and another tenth is slow. */
const mixed = (number: number): Manner =>
  number % 10 === 0 ? (number % 20 === 0 ? 'closed' : 'silent') : number % 10 === 1 ? 'slow' : 'healthy'

/** Creates the endpoints of every tenant. */
async function addEndpoints(url: string, base: string, mannerOf: (number: number) => Manner): Promise<void> {
  const api = await startApi('api', url, ENV)
  for (const [index, { key }] of tenants.entries())
    for (let endpoint = 0; endpoint < OF_TENANT; endpoint++) {
      const number = index * OF_TENANT + endpoint
      const body = { url: addressOf(base, mannerOf(number), number), event_types: ['*'] }
      await post(`${api.base}/public-api/webhook-endpoints`, key, body)
    }
  await api.stop()
}

const RAISE = raisedBy('$3')

/** Writes so many events of the tenant with the index, in one transaction. */
async function write(client: pg.Client, index: number, count: number): Promise<void> {
  const { id } = tenants[index] as Tenant
  const agent_id = chainOf(index)
  const events = Array.from({ length: count }, (_, number) => {
    const execution_id = `exe_${number}`
    const data = { execution_id, agent_id, status: 'COMPLETED', previous_status: 'RUNNING' }
    return { type: 'execution.completed', entity_id: execution_id, agent_id, data }
  })
  await client.query(RAISE, [id, ENVIRONMENT, JSON.stringify(events)])
}

const UNMADE = `select exists (select from live_event where type <> '' and sequence is null)
  or exists (select from webhook_cursor c join event_feed f using (tenant_id, environment)
    where c.sequence < f.last_sequence) as is_unmade`

/** Resolves once every event has its deliveries. */
async function made(client: pg.Client): Promise<void> {
  while ((await client.query<{ is_unmade: boolean }>(UNMADE)).rows[0]?.is_unmade) await sleep(LOOK_MS)
}

const DELIVERED = `select count(*)::int as count from webhook_delivery
  where delivered_at >= to_timestamp($1 / 1000.0) and delivered_at < to_timestamp($2 / 1000.0)`
const FAILED = 'select count(*)::int as count from webhook_endpoint where failures > 0'
const LEFT = `select count(*)::int as count from webhook_endpoint w where exists (
    select from webhook_delivery d where d.tenant_id = w.tenant_id and d.environment = w.environment
      and d.endpoint_id = w.id and d.status = 'PENDING')`

async function phasesOf(client: pg.Client, windows: readonly Window[]): Promise<Phase[]> {
  const countOf = async (text: string, values: readonly number[] = []) =>
    (await client.query<{ count: number }>(text, [...values])).rows[0]?.count ?? Number.NaN
  if ((await countOf(FAILED)) > 0) throw new Error('A delivery failed')
  const left = await countOf(LEFT)
  if (left < 2 * PLACES) throw new Error(`Only ${left} endpoints had events left at the end`)
  const phases: Phase[] = []
  for (const window of windows)
    phases.push(phaseOf(window, await countOf(DELIVERED, [window.from, window.to])))
  return phases
}

async function measureRate(url: string, base: string, seconds: number): Promise<Phase[]> {
  progress(`deliveries to ${ENDPOINTS} endpoints`)
  await addEndpoints(url, base, () => 'healthy')
  return await connected(url, async (client) => {
    const deliveries = MOST_A_SECOND * 3 * (seconds + SETTLE_MS / 1000)
    for (const index of tenants.keys()) await write(client, index, Math.ceil(deliveries / ENDPOINTS))
    const windows = await oneAndTwo(url, ENV, { seconds, settle_ms: SETTLE_MS }, () => made(client))
    return await phasesOf(client, windows)
  })
}

/** Writes events of one tenant after the other at the rate, for so many seconds. Returns the indices of the tenants. */
async function writeSteadily(client: pg.Client, a_second: number, seconds: number): Promise<number[]> {
  const written: number[] = []
  for (const began = performance.now(); ; await sleep(LOOK_MS / 10)) {
    const elapsed = (performance.now() - began) / 1000
    for (const due = Math.min(elapsed, seconds) * a_second; written.length < due; ) {
      const index = written.length % tenants.length
      await write(client, index, 1)
      written.push(index)
    }
    if (elapsed >= seconds) return written
  }
}

const healthyOf = (index: number): number =>
  Array.from({ length: OF_TENANT }, (_, endpoint) => mixed(index * OF_TENANT + endpoint)).filter(
    (manner) => manner === 'healthy',
  ).length

async function measureWaits(
  url: string,
  receivers: Contender,
  a_second: number,
  { paced_seconds, warm_up_seconds }: DeliveriesEffort,
): Promise<number[]> {
  progress(`waits of events, ${a_second.toFixed(0)} a second`)
  await addEndpoints(url, receivers.base, mixed)
  const workers = [await startWorker('worker 1', url, ENV), await startWorker('worker 2', url, ENV)]
  const waits: number[] = []
  const ask = async () => waits.push(...(await (await fetch(receivers.base + WAITS)).json()))
  const arrivalsOf = (written: readonly number[]) => written.reduce((sum, index) => sum + healthyOf(index), 0)
  const arrived = async (count: number) => {
    for (const end = Date.now() + PATIENCE_MS; waits.length < count; await ask()) {
      if (Date.now() > end) throw new Error(`Of ${count} events ${waits.length} arrived`)
      await sleep(LOOK_MS)
    }
  }
  await connected(url, async (client) => {
    await ask()
    waits.length = 0
    const early = arrivalsOf(await writeSteadily(client, a_second, warm_up_seconds))
    const all = early + arrivalsOf(await writeSteadily(client, a_second, paced_seconds))
    await arrived(all)
    waits.splice(0, early)
  })
  await Promise.all(workers.map((worker) => worker.stop()))
  return waits
}

export async function measureDeliveries(effort: DeliveriesEffort): Promise<Deliveries> {
  const original = await runsDatabase()
  const receivers = await start('receivers', 'runs/receivers.ts', {})
  const phases = await onCopy(original, (url) => measureRate(url, receivers.base, effort.seconds))
  const two_workers = phases.find(({ workers }) => workers === 2)?.a_second ?? Number.NaN
  const events_a_second = (PART * two_workers) / OF_TENANT
  const waits_ms = await onCopy(original, (url) => measureWaits(url, receivers, events_a_second, effort))
  await receivers.stop()
  return { phases, events_a_second, waits_ms }
}
