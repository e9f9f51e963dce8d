/** The rows that the service reads if the tables of an embedded database have grown and nobody has analyzed them. */
import type { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { JOBS } from '../../src/composition/jobs.ts'
import { installJobs } from '../../src/jobs/install.ts'
import type { UnboundJobContext } from '../../src/jobs/job.ts'
import { addAgents } from '../setup/agents.ts'
import { clock, ENVIRONMENT, type Running, startApp } from '../setup/app.ts'
import { cloneDatabase, embeddedIn } from '../setup/database.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { performRuns } from '../setup/runs.ts'
import { type Msp, world } from '../setup/world.ts'

/** Many times the rows that a run may read. */
const EXECUTIONS = 20_000
/** A run reads a hundred rows or so, and a sweep a few for each execution that may have lost its job. */
const ROWS_AT_MOST = 400
const NEW_EXECUTIONS = 1000

/** What tells the copies of a row apart. */
const COPIED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  execution: {
    execution_id: `execution_id || '_' || n`,
    created_at: `created_at - n * interval '5 seconds'`,
  },
  execution_run: {
    execution_id: `execution_id || '_' || n`,
    temporal_run_id: `temporal_run_id || '_' || n`,
  },
  execution_work: { execution_id: `execution_id || '_' || n` },
}

let running: Running
let msp: Msp
let pglite: PGlite

const rowsOf = async <Row>(text: string): Promise<Row[]> => (await pglite.query<Row>(text)).rows

async function copy(table: string, count: number, changed: Readonly<Record<string, string>> = {}) {
  const columns = await rowsOf<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  )
  const names = columns.map(({ name }) => name)
  const values = names.map((name) => changed[name] ?? COPIED[table]?.[name] ?? name)
  await rowsOf(
    `insert into ${table} (${names}) select ${values} from (select * from ${table} limit 1) original
     cross join generate_series(1, ${count}) n`,
  )
}

/** The rows that the database has read from tables, by indexes or without, while the work was done. */
async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await rowsOf('select pg_stat_force_next_flush()')
    const [sum] = await rowsOf<{ read: number }>(
      'select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables',
    )
    return sum?.read ?? 0
  }
  const before = await read()
  await work()
  return (await read()) - before
}

async function perform(name: string): Promise<void> {
  const { services } = running.app
  const { signal } = new AbortController()
  const request = { id: name, ip: null, user_agent: null }
  const ctx = { services, request, now: clock.now(), log: services.log, signal } as UnboundJobContext
  await JOBS.find((job) => job.name === name)?.handler(ctx, {})
}

async function start(): Promise<void> {
  const started = await fetch(`${running.base}/public-api/agents/1/run-now`, {
    method: 'POST',
    headers: { authorization: `Bearer ${msp.key.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ entity_id: '4711' }),
  })
  expect(started.status).toBe(200)
}

async function run(): Promise<void> {
  await start()
  expect(await performRuns(msp, { services: running.app.services })).toBe(1)
}

beforeAll(async () => {
  const database = await cloneDatabase()
  await installJobs(database, ENVIRONMENT, JOBS)
  running = await startApp(database)
  pglite = embeddedIn(database) as PGlite
  msp = await world(database)
  const note = { type: 'ticket.add_note', params: { text: 'We are on it.', visibility: 'INTERNAL' } }
  await addAgents(msp, [
    { id: 1, autonomy_type: 'CHAINED_ACTIONS', trigger_type: 'TRIGGERED', actions: [note] as never },
  ])
  await addPsaTickets(msp, [{ ticket_id: '4711' }])
  await run()
  // Triggers keep rollups and live events, which are not what is measured.
  await rowsOf('set session_replication_role = replica')
  for (const table of Object.keys(COPIED)) await copy(table, EXECUTIONS)
  await rowsOf('set session_replication_role = origin')
  await perform('database.analyze')
})

afterAll(async () => {
  await running.app.close(0)
  await running.database.close()
})

test('an execution is run by the rows that belong to it, among many thousands of others', async () => {
  const [execution] = await rowsOf<{ count: number }>('select count(*)::int as count from execution')
  expect(execution?.count).toBeGreaterThan(EXECUTIONS)
  expect(await rowsReadBy(run)).toBeLessThan(ROWS_AT_MOST)
})

test('a table that has not grown is not analyzed again', async () => {
  const analyzed = () =>
    rowsOf('select relname, relpages, analyze_count from pg_class join pg_stat_user_tables using (relname)')
  await perform('database.analyze')
  const before = await analyzed()
  await perform('database.analyze')
  expect(await analyzed()).toEqual(before)
})

test('the jobs that wait are read once for all the executions that may have lost theirs', async () => {
  await start()
  const settled = { status: `'NEW'`, request_id: `'lost'`, updated_at: `'2020-01-01'` }
  await copy('execution', NEW_EXECUTIONS, { ...settled, execution_id: `'new_' || n`, entity_id: 'n' })
  await rowsOf(
    `insert into pgboss.job (name, data) select name, jsonb_set(data, '{payload,execution_id}', to_jsonb('new_' || n))
     from (select * from pgboss.job where name = 'executions.run' limit 1) original
     cross join generate_series(1, ${NEW_EXECUTIONS}) n`,
  )
  const jobs = await rowsOf<{ count: number }>('select count(*)::int as count from pgboss.job')
  expect(jobs[0]?.count).toBeGreaterThan(NEW_EXECUTIONS)
  expect(await rowsReadBy(() => perform('executions.sweep'))).toBeLessThan(5 * NEW_EXECUTIONS)
})
