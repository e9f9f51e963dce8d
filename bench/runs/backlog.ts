/**
 * What finished executions cost those that come: the same runs and the same regular work, with a hundred times as many of
 * them in the database. Pages that PostgreSQL looked at are counted, which no other load on the machine changes.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Contender } from '../contender.ts'
import { startService } from '../contenders.ts'
import { connected } from '../data/databases.ts'
import { onCopy } from '../data/kept.ts'
import { ENVIRONMENT, type Tenant } from '../data/tenants.ts'
import { progress } from '../progress.ts'
import { chainOf, tenants, ticketOf } from './data.ts'
import { finishedDatabase } from './finished.ts'
import type { BacklogEffort } from './options.ts'
import { endOf, runByRest } from './processes.ts'

export const FEWER = 1_000
export const TIMES = 100

/** What is measured of a service with so many finished executions. */
interface Cost {
  /** Milliseconds from run-now to the end of each run. */
  run_ms: number[]
  run_pages: number
  /** Bytes that the changes of a run's rows and of their indexes take in the write-ahead log. */
  run_wal: number
  /** Pages of a second in which nothing is run: of looks for work, of maintenance, of heartbeats. */
  idle_pages: number
  /** Milliseconds of each look for executions whose job was lost. */
  sweep_ms: number[]
  /** Milliseconds of each scrape of the metrics, for which the queues are counted. */
  scrape_ms: number[]
  /** Jobs of finished executions that are left. */
  jobs_left: number
}

export interface Backlog {
  small: Cost
  large: Cost
}

const METRICS_TOKEN = 'the token of the metrics'

interface Place {
  client: pg.Client
  service: Contender
  cost: Cost
}

/** The statistics of a session are written ten seconds after its last statement, at the latest. */
const WRITTEN_MS = 11_000
const LOOK_MS = 100

const PAGES = `select (blks_hit + blks_read)::float8 as pages from pg_stat_database where datname = current_database()`
const pagesOf = async ({ client }: Place): Promise<number> =>
  (await client.query<{ pages: number }>(PAGES)).rows[0]?.pages ?? Number.NaN

/** Copies of whole pages are left out: the first change after a checkpoint writes one. */
const WAL = `select coalesce(sum(record_length - fpi_length), 0)::float8 as bytes
  from pg_get_wal_records_info($1, $2)
  where block_ref like '%/' || (select oid from pg_database where datname = current_database()) || '/%'`

/** While the session lasts, no checkpoint removes what is to be read. */
const KEEP_LOG = `create extension pg_walinspect;
  select pg_create_physical_replication_slot('bench_' || oid, true, true) from pg_database
  where datname = current_database()`

type Position = string

const positionOf = async ({ client }: Place): Promise<Position> =>
  (await client.query<{ lsn: Position }>('select pg_current_wal_flush_lsn() as lsn')).rows[0]?.lsn ?? ''

const bytesBetween = async ({ client }: Place, from: Position, to: Position): Promise<number> =>
  (await client.query<{ bytes: number }>(WAL, [from, to])).rows[0]?.bytes ?? Number.NaN

const JOBS_LEFT = `select count(*)::int as count from pgboss.job where name = 'executions.run' and state = 'completed'
  and completed_on < now() - interval '5 minutes'`
const DUE = 'update pgboss.queue set maintain_on = null'
const PATIENCE_MS = 60_000

/** Waits until the finished jobs are deleted, which maintenance does every five minutes: it is due now. */
async function maintained(client: pg.Client): Promise<number> {
  await client.query(DUE)
  const left = async () => (await client.query<{ count: number }>(JOBS_LEFT)).rows[0]?.count ?? Number.NaN
  for (const end = Date.now() + PATIENCE_MS; (await left()) > 0 && Date.now() < end; ) await sleep(LOOK_MS)
  // As autovacuum does within a minute.
  await client.query('vacuum pgboss.job_common')
  return await left()
}

async function open(name: string, url: string, client: pg.Client): Promise<Place> {
  const service = await startService(name, url, { METRICS_TOKEN, DRAIN_DELAY_MS: '0' })
  const jobs_left = await maintained(client)
  await client.query(KEEP_LOG)
  return {
    client,
    service,
    cost: {
      run_ms: [],
      run_pages: 0,
      run_wal: 0,
      idle_pages: 0,
      sweep_ms: [],
      scrape_ms: [],
      jobs_left,
    },
  }
}

async function run({ client, service, cost }: Place, number: number): Promise<void> {
  const index = number % tenants.length
  const tenant = tenants[index] as Tenant
  const sent = Date.now()
  const ticket_id = ticketOf(1 + number)
  const execution_id = await runByRest(service.base, { tenant, agent_id: chainOf(index), ticket_id })
  cost.run_ms.push((await endOf(client, tenant, execution_id)) - sent)
}

const SWEEP = `insert into pgboss.job (name, data, singleton_key)
  values ('${ENVIRONMENT}/executions.sweep', '{"tenancy": null, "payload": {}}', $1)`

/** Milliseconds of every sweep so far, as the service has logged them. */
const sweepsOf = ({ service }: Place): number[] =>
  [...service.logged().matchAll(/"job":"executions.sweep".*"ms":([\d.]+)/g)].map(([, ms]) => Number(ms))

async function sweep(place: Place, number: number): Promise<void> {
  const before = sweepsOf(place).length
  await place.client.query(SWEEP, [`${number}`])
  while (sweepsOf(place).length === before) await sleep(LOOK_MS)
}

async function scrape({ service, cost }: Place): Promise<void> {
  const sent = performance.now()
  const response = await fetch(`${service.base}/metrics`, {
    headers: { authorization: `Bearer ${METRICS_TOKEN}` },
  })
  await response.text()
  if (!response.ok) throw new Error(`The metrics were answered with ${response.status}`)
  cost.scrape_ms.push(performance.now() - sent)
}

/** The load of the queues is read once a second at most. */
const SCRAPE_PAUSE_MS = 1_100
const WARM_UP = 5

async function measure(places: readonly Place[], { runs, sweeps }: BacklogEffort): Promise<void> {
  const ordered = (number: number) => (number % 2 ? places.toReversed() : places)
  const pages = () => Promise.all(places.map(pagesOf))
  const positions = () => Promise.all(places.map(positionOf))
  let number = 0
  const runEach = async (count: number) => {
    for (const end = number + count; number < end; number++)
      for (const place of ordered(number)) await run(place, number)
  }
  await runEach(WARM_UP)
  for (const { cost } of places) cost.run_ms = []
  await sleep(WRITTEN_MS)
  const [begun, before, start] = [Date.now(), await pages(), await positions()]
  await runEach(runs)
  await sleep(WRITTEN_MS)
  const [ran, after, end] = [Date.now(), await pages(), await positions()]
  await sleep(WRITTEN_MS)
  const [rested, later, last] = [Date.now(), await pages(), await positions()]
  for (const [index, place] of places.entries()) {
    const of = <Value>(all: readonly Value[]) => all[index] as Value
    const ofRun = (during: number, idle: number) => (during - (idle * (ran - begun)) / (rested - ran)) / runs
    const idle_pages = of(later) - of(after)
    place.cost.idle_pages = (idle_pages * 1000) / (rested - ran)
    place.cost.run_pages = ofRun(of(after) - of(before), idle_pages)
    const wal = (from: readonly Position[], to: readonly Position[]) => bytesBetween(place, of(from), of(to))
    place.cost.run_wal = ofRun(await wal(start, end), await wal(end, last))
  }
  for (let done = 0; done < sweeps; done++) {
    for (const place of ordered(done)) await scrape(place)
    await Promise.all([sleep(SCRAPE_PAUSE_MS), ...places.map((place) => sweep(place, done))])
  }
  for (const place of places) place.cost.sweep_ms = sweepsOf(place)
}

export async function measureBacklog(effort: BacklogEffort): Promise<Backlog> {
  const [fewer, more] = [await finishedDatabase(FEWER), await finishedDatabase(FEWER * TIMES)]
  progress(`runs after ${(FEWER * TIMES).toLocaleString('en')} that are finished`)
  const measured = async (small_url: string, large_url: string) =>
    connected(small_url, (small_client) =>
      connected(large_url, async (large_client) => {
        const small = await open('service with few finished', small_url, small_client)
        const large = await open('service with many finished', large_url, large_client)
        await measure([small, large], effort)
        await Promise.all([small.service.stop(), large.service.stop()])
        return { small: small.cost, large: large.cost }
      }),
    )
  return await onCopy(fewer, (small_url) => onCopy(more, (large_url) => measured(small_url, large_url)))
}
