/** pg-boss on the service's own database. Its tables have a PostgreSQL schema of their own, `pgboss`. */
import type { ClientBase } from 'pg'
import type { ConstructorOptions, PgBoss } from 'pg-boss'
import type { Database } from '../db/database.ts'
import { KEEP_ALIVE } from '../db/postgresql/keep-alive.ts'
import { SESSION_SETTINGS } from '../db/session-settings.ts'
import { WORKER_INTERVALS } from './intervals.ts'
import type { Job } from './job.ts'
import { queueOf } from './queue.ts'

interface BossOptions {
  database: Pick<Database, 'source'>
  /** Makes the tables, or brings them up to date, if they are not. */
  migrate: boolean
  /** Supervises the queues and runs the schedules, as every worker does. */
  works: boolean
  /** The interval at which a worker looks for lost attempts, and for jobs whose pause is over. */
  supervise_seconds?: number
}

/** The queue of dead letters of all jobs. */
export const DEAD_LETTERS = 'dead_letters'

/** Milliseconds in which tables are brought up to date. */
const MIGRATION_MS = 600_000

/** A job whose worker has not been heard of for this long belongs to another worker. */
const HEARTBEAT_SECONDS = 10
/**
 * A worker ends an attempt that takes longer than the job may. pg-boss ends the attempt only so much later, which shows that
 * the worker is lost.
 */
const UNANSWERED_SECONDS = 60

const DAY_SECONDS = 86_400
/** A job waits this long for a worker, and a dead letter for an operator; then it is deleted. */
const WAITING_SECONDS = 365 * DAY_SECONDS
/** The longest pause before another attempt. */
const RETRY_DELAY_MAX_SECONDS = 600

const supervisionEvery = (seconds: number): ConstructorOptions => ({
  superviseIntervalSeconds: seconds,
  monitorIntervalSeconds: seconds,
  maintenanceIntervalSeconds: 300,
  // No job of ours waits for another.
  flowIntervalSeconds: 3600,
  cronWorkerIntervalSeconds: 10,
})

/** A new pg-boss, not started. The package is loaded here, so that a start does not wait for it. */
export async function createBoss({
  database,
  migrate,
  works,
  supervise_seconds = WORKER_INTERVALS.supervise_seconds,
}: BossOptions): Promise<PgBoss> {
  const { PgBoss, fromPglite } = await import('pg-boss')
  const { source } = database
  const common: ConstructorOptions = {
    migrate,
    supervise: works,
    schedule: works,
    ...(works && supervisionEvery(supervise_seconds)),
  }
  if ('url' in source && migrate && !works) {
    const onConnect = (client: ClientBase) => client.query(SESSION_SETTINGS)
    const limits = { max: 1, query_timeout: MIGRATION_MS, ...KEEP_ALIVE }
    const pool = { connectionString: source.url, application_name: 'public-api-jobs', onConnect, ...limits }
    return new PgBoss({ ...common, ...pool })
  }
  // The service's own connections and their limits: a connection that dies without a word is given up in time.
  if ('url' in source) return new PgBoss({ ...common, db: { executeSql: source.query } })
  // Nothing vacuums an embedded database, which pg-boss would warn of.
  return new PgBoss({ ...common, db: fromPglite(source.pglite), backend: 'pglite', monitorVacuum: false })
}

const settingsOf = (job: Job) => ({
  // A lost worker uses up no attempt that may fail.
  retryLimit: job.retries + job.most_lost,
  retryDelay: job.retry_delay_seconds,
  retryBackoff: true,
  retryDelayMax: RETRY_DELAY_MAX_SECONDS,
  expireInSeconds: job.timeout_seconds + UNANSWERED_SECONDS,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  retentionSeconds: WAITING_SECONDS,
  deleteAfterSeconds: job.kept_seconds,
  deadLetter: DEAD_LETTERS,
  // Its notification is in the statement that enqueues: `wake.ts` has ours.
  notify: false,
})

/** Makes the queues of the declared jobs, and changes those that are declared otherwise now. */
export async function makeQueues(boss: PgBoss, environment: string, jobs: readonly Job[]): Promise<void> {
  const queues = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  if (!queues.has(DEAD_LETTERS)) await boss.createQueue(DEAD_LETTERS, { retentionSeconds: WAITING_SECONDS })
  for (const job of jobs) {
    const settings = settingsOf(job)
    const name = queueOf(environment, job)
    const queue = queues.get(name)
    // A scheduled job that still waits or runs is not enqueued a second time.
    if (!queue) await boss.createQueue(name, { ...settings, policy: job.schedule ? 'exclusive' : 'standard' })
    else if (Object.entries(settings).some(([name, value]) => queue[name as keyof typeof settings] !== value))
      await boss.updateQueue(name, settings)
  }
}

/** System queues had no environment in their names once: a process that meets their schedules removes them. */
const isOwn = (environment: string, queue: string): boolean =>
  queue.startsWith(`${environment}/`) || !queue.includes('/')

/** Stores the schedules of the declared jobs, and removes those that are declared no more. */
export async function makeSchedules(boss: PgBoss, environment: string, jobs: readonly Job[]): Promise<void> {
  const declared = new Map(
    jobs.flatMap((job) => (job.schedule ? [[queueOf(environment, job), job.schedule]] : [])),
  )
  const stored = new Map((await boss.getSchedules()).map(({ name, cron }) => [name, cron]))
  for (const name of stored.keys())
    if (!declared.has(name) && isOwn(environment, name)) await boss.unschedule(name)
  for (const [name, schedule] of declared) {
    const data = { tenancy: null, payload: {} }
    if (stored.get(name) !== schedule) await boss.schedule(name, schedule, data, { tz: 'UTC' })
  }
}
