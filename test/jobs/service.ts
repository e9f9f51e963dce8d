/** The service with jobs of a test, on a database that the tests of a worker have one after the other. */
import { type Logger, pino } from 'pino'
import { type App, createApp } from '../../src/composition/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { type Statement, statement } from '../../src/db/sql.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import type { MutationContext } from '../../src/gateway/context.ts'
import type { JobSender } from '../../src/gateway/job-sender.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import { installJobs } from '../../src/jobs/install.ts'
import type { WorkerIntervals } from '../../src/jobs/intervals.ts'
import type { Job } from '../../src/jobs/job.ts'
import type { Loop } from '../../src/jobs/loop.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import { ENCRYPTION_KEY, KEY_PEPPER } from '../setup/app.ts'
import { cloneDatabase } from '../setup/database.ts'
import { until } from '../setup/until.ts'

const unprepared = (text: string): Statement => ({ ...statement('test', text), custom_plan: true })

// Triggers keep the rows of audit logs from everybody.
const EMPTY = statement(
  'test.empty',
  `select set_config('session_replication_role', 'replica', true), string_agg(c.oid::regclass::text, ', ') as filled
   from pg_class c
   where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('public', 'pgboss')
     and c.relname not in ('_prisma_migrations', 'version') and pg_relation_size(c.oid) > 0`,
)

let shared: Promise<Database> | undefined

/** The worker's database with the tables of jobs, and without a row. One service at a time works on it. */
async function emptyDatabase(): Promise<Database> {
  shared ??= cloneDatabase()
  const database = await shared
  await database.transaction(30_000, async (sql) => {
    const [{ filled } = { filled: null }] = await sql.rows<{ filled: string | null }>(EMPTY, [])
    if (filled) await sql.rows(unprepared(`truncate ${filled} restart identity cascade`), [])
  })
  return database
}

export const TENANCY = { tenant_id: 'ten_jobs', environment: 'test' }

type Caller = MutationContext & { services: { jobs: JobSender; environment: string } }

export interface JobService {
  app: App
  database: Database
  /** Runs the work in a transaction of a caller of the tenant. */
  call<Result>(work: (ctx: Caller) => Promise<Result>): Promise<Result>
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>
}

interface JobServiceOptions {
  log?: Logger
  env?: Record<string, string>
  /** Another database than that of the worker, which the caller closes. */
  database?: Database
  /** By default there are none. */
  loops?: readonly Loop[]
  elapsed?: () => number
  intervals?: WorkerIntervals
}

/** Short intervals, for tests that wait for work that no notification announces. */
export const OFTEN: WorkerIntervals = { look_ms: 100, resume_ms: 100, supervise_seconds: 1, retry_ms: 100 }

/** The tables of jobs are made; nothing works them before `app.work()`. The caller closes the service. */
export async function jobService(
  jobs: readonly Job[],
  { log = pino({ level: 'silent' }), env, database, loops = [], elapsed, intervals }: JobServiceOptions = {},
): Promise<JobService> {
  const on = database ?? (await emptyDatabase())
  await installJobs(on, TENANCY.environment, jobs)
  const app = await createApp({
    config: readConfig({ ENVIRONMENT: 'test', ...env }),
    database: on,
    log,
    secrets: {
      key_peppers: [KEY_PEPPER],
      signing_secrets: ['a signing secret for tests'],
      encryption_keys: [ENCRYPTION_KEY],
    },
    issuer: null,
    jobs,
    loops,
    ...(intervals && { worker_intervals: intervals }),
    ...(elapsed && { elapsed }),
  })
  return {
    app,
    database: on,
    call(work) {
      const ctx: Caller = {
        services: app.services,
        viewer: { kind: { type: 'SYSTEM' }, id: 'test', name: 'Test', ...TENANCY },
        request: { id: 'test', ip: null, user_agent: null, if_match: null },
        now: new Date(),
        db_time: new Stopwatch(),
        transaction: null,
        secret_of: null,
        outcome: null,
      }
      return inTransaction(ctx, 10_000, () => work(ctx))
    },
    rows: (text, values = []) => on.sql.rows(unprepared(text), values),
  }
}

/** Runs one of the jobs to its end. */
export async function runJob({ call, rows }: JobService, jobs: readonly Job[], name: string): Promise<void> {
  const job = jobs.find((each) => each.name === name)
  if (!job) throw new Error(`There is no job ${name}`)
  let id = ''
  // It is not enqueued beside the one that its schedule has just enqueued.
  await until(async () => {
    try {
      id = await call((ctx) => enqueue(ctx, job, {}))
      return true
    } catch (error) {
      if ((error as Error).message.endsWith('was not stored')) return false
      throw error
    }
  })
  const done = "select 1 from pgboss.job where id = $1::uuid and state = 'completed'"
  await until(async () => (await rows(done, [id])).length === 1)
}
