/** Databases with finished executions: a few that really ran, and copies of everything that they left behind. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { startService } from '../contenders.ts'
import { connected } from '../data/databases.ts'
import { filled } from '../data/indexes.ts'
import { kept, recipe } from '../data/kept.ts'
import { DATABASE_SUFFIX } from '../service.ts'
import { chainOf, fillRuns, RUNS_MADE_BY, tenants, ticketOf } from './data.ts'
import { endOf, runAll } from './processes.ts'

/** The columns of a copy that are not as in the original, of every table that a run leaves rows in. `n` is its number. */
const COPIED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  execution: {
    execution_id: `execution_id || '_' || n`,
    created_at: `created_at - interval '5 seconds' * n`,
    updated_at: `updated_at - interval '5 seconds' * n`,
    started_at: `started_at - interval '5 seconds' * n`,
    finished_at: `finished_at - interval '5 seconds' * n`,
  },
  execution_run: {
    execution_id: `execution_id || '_' || n`,
    temporal_run_id: `temporal_run_id || '_' || n`,
  },
  execution_work: { execution_id: `execution_id || '_' || n` },
  tool_call: {
    id: `id || '_' || n`,
    execution_id: `execution_id || '_' || n`,
    temporal_run_id: `temporal_run_id || '_' || n`,
  },
  timeline_event: {
    id: `id || '_' || n`,
    execution_id: `execution_id || '_' || n`,
    temporal_run_id: `temporal_run_id || '_' || n`,
  },
  audit_entry: {
    id: `id || '_' || n`,
    execution_id: `execution_id || '_' || n`,
    temporal_run_id: `temporal_run_id || '_' || n`,
    sequence: `nextval(pg_get_serial_sequence('audit_entry', 'sequence'))`,
    chain_position: 'chain_position + 1000 * n',
  },
  activity_entry: { id: `id || '_' || n` },
  live_event: {
    id: `nextval(pg_get_serial_sequence('live_event', 'id'))`,
    entity_id: `entity_id || '_' || n`,
  },
  psa_write: { idempotency_key: `idempotency_key || '_' || n` },
  psa_note: { note_id: `note_id || '_' || n` },
  'pgboss.job_common': {
    id: 'gen_random_uuid()',
    // It is old enough to be deleted.
    completed_on: `completed_on - interval '10 minutes'`,
  },
}

/** A job is deleted after a minute, within five: these are the latest, of thirty a second. */
const LATEST_JOBS = 10_000

const COLUMNS = `select attname as name from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`

async function copy(client: pg.Client, executions: number): Promise<void> {
  for (const [table, changed] of Object.entries(COPIED)) {
    const { rows } = await client.query<{ name: string }>(COLUMNS, [table])
    const names = rows.map(({ name }) => name)
    const are_jobs = table.startsWith('pgboss.')
    const copies = (are_jobs ? Math.min(executions, LATEST_JOBS) : executions) / runs.length - 1
    await client.query(
      `insert into ${table} (${names.join(', ')}) select ${names.map((name) => changed[name] ?? name).join(', ')}
       from ${table} cross join generate_series(1, ${copies}) n ${are_jobs ? `where name = 'executions.run'` : ''}`,
    )
  }
}

/** The executions that really run: one of each tenant. */
const runs = tenants.map((tenant, index) => ({ tenant, agent_id: chainOf(index), ticket_id: ticketOf(0) }))

const UNCLOSED = 'select count(*)::int as count from audit_entry where hash is null'

async function runFirst(url: string): Promise<void> {
  const service = await startService('service with first runs', url, { DRAIN_DELAY_MS: '0' })
  const ids = await runAll(service.base, runs)
  await connected(url, async (client) => {
    for (const [index, { tenant }] of runs.entries()) await endOf(client, tenant, ids[index] ?? '')
    while ((await client.query(UNCLOSED)).rows[0].count > 0) await sleep(100)
  })
  await service.stop()
}

async function fill(url: string, executions: number): Promise<void> {
  await fillRuns(url)
  await runFirst(url)
  await connected(url, async (client) => {
    await filled(client, Object.keys(COPIED), () => copy(client, executions))
    await client.query('vacuum (analyze)')
  })
}

/** A database in which so many executions have come to their end. */
export const finishedDatabase = (executions: number): Promise<string> =>
  kept(
    `automation_service_bench_finished_${executions}${DATABASE_SUFFIX}`,
    recipe([...RUNS_MADE_BY, import.meta.filename], executions),
    (url) => fill(url, executions),
  )
