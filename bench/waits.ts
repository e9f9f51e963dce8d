/**
 * How long writers of the same rollup wait for each other. Two workers finish executions of one
 * agent on one day and two map links of an integration, in transactions of a few milliseconds, while a sync writes
 * 10,000 links of the same integration and commits late. Runs on a copy of the benchmark's database.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { onCopy } from './data/kept.ts'
import { prepare } from './data/prepare.ts'
import { ENVIRONMENT, SYSTEMS, tenants } from './data/tenants.ts'

const WRITES = 1000
/** How long a worker's transaction goes on after its write, and a sync's after its. */
const WORKER_MS = 3
const SYNC_MS = 50

const tenancy = [tenants[0]?.id, ENVIRONMENT]
const OF_TENANT = 'tenant_id = $1 and environment = $2'
const OF_SYSTEM = `${OF_TENANT} and system = '${SYSTEMS[0]}'`

const FINISH = `update execution set seconds_spent = seconds_spent + 1,
    status = case status when 'COMPLETED' then 'FAILED' else 'COMPLETED' end::execution_status
  where ${OF_TENANT} and execution_id = $3`
const MAP = `update company_link set psa_company_id = case when psa_company_id is null then
    (select min(psa_company_id) from end_company where ${OF_TENANT}) end
  where ${OF_SYSTEM} and external_id = $3`
const SYNC = `insert into company_link (tenant_id, environment, system, external_id, created_at, updated_at)
  select $1, $2, '${SYSTEMS[0]}', 'synced ' || n, now(), now() from generate_series(1, 10000) n`
const UNSYNC = `delete from company_link where ${OF_SYSTEM} and external_id like 'synced %'`

/** The executions of the agent and day that have most, and links of the system. */
const IDS_OF_EXECUTIONS = `select unnest(ids) as id from (
    select array_agg(execution_id) as ids from execution where ${OF_TENANT}
    group by agent_id, (created_at at time zone 'UTC')::date order by count(*) desc limit 1) busiest`
const IDS_OF_LINKS = `select external_id as id from company_link where ${OF_SYSTEM} order by external_id limit 200`

/** Milliseconds of each write: every other row, so that two writers share none. */
async function writer(client: pg.Client, text: string, ids: string[], first: number): Promise<number[]> {
  const times: number[] = []
  const own = ids.filter((_, index) => index % 2 === first)
  for (let number = 0; number < WRITES; number++) {
    await client.query('begin')
    const started = performance.now()
    await client.query({ name: text.slice(0, 20), text, values: [...tenancy, own[number % own.length]] })
    times.push(performance.now() - started)
    await sleep(WORKER_MS)
    await client.query('commit')
  }
  return times
}

async function syncs(client: pg.Client, writing: { now: boolean }): Promise<number> {
  let done = 0
  for (; writing.now; done++) {
    await client.query('begin')
    await client.query(SYNC, tenancy)
    await sleep(SYNC_MS)
    await client.query('commit')
    await client.query(UNSYNC, tenancy)
  }
  return done
}

/** How often a session waited for another one's transaction, of how many looks. */
async function looks(client: pg.Client, writing: { now: boolean }) {
  let [seen, waiting] = [0, 0]
  for (; writing.now; seen++, await sleep(2)) {
    const { rows } = await client.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    waiting += rows.length
  }
  return { seen, waiting }
}

export interface Waits {
  /** Milliseconds of each write, by what is written. */
  writes: Map<string, number[]>
  syncs: number
  /** How often was looked for sessions that wait for a lock, and how many were found. */
  looks: { seen: number; waiting: number }
}

async function measure(url: string): Promise<Waits> {
  const clients = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      return client
    }),
  )
  const [a, b, c, d, sync, watcher] = clients
  if (!a || !b || !c || !d || !sync || !watcher) throw new Error('Too few connections')
  const idsOf = async (text: string) =>
    (await watcher.query<{ id: string }>(text, tenancy)).rows.map(({ id }) => id)
  const [executions, links] = [await idsOf(IDS_OF_EXECUTIONS), await idsOf(IDS_OF_LINKS)]
  const writing = { now: true }
  const [syncing, looking] = [syncs(sync, writing), looks(watcher, writing)]
  const [finishes, mappings] = await Promise.all([
    Promise.all([writer(a, FINISH, executions, 0), writer(b, FINISH, executions, 1)]),
    Promise.all([writer(c, MAP, links, 0), writer(d, MAP, links, 1)]),
  ])
  writing.now = false
  const result: Waits = {
    writes: new Map([
      ['finish an execution', finishes.flat()],
      ['map a link', mappings.flat()],
    ]),
    syncs: await syncing,
    looks: await looking,
  }
  await Promise.all(clients.map((client) => client.end()))
  return result
}

/** Measures on a copy of the database of one time the rows. */
export const measureWaits = async (): Promise<Waits> => onCopy(await prepare(1), measure)
