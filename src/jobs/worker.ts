/** Runs jobs in this process. When it stops, it returns unfinished jobs to their queues. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PgBoss } from 'pg-boss'
import { standingOf } from '../db/migrations/standing.ts'
import { statement } from '../db/sql.ts'
import type { Services } from '../gateway/context.ts'
import { createFairSemaphore } from '../lib/fair-semaphore.ts'
import { RELEASED } from './attempt.ts'
import { createBoss, makeQueues, makeSchedules } from './boss.ts'
import { WAS_LOST } from './claim.ts'
import { watchDeaths } from './dead-letters.ts'
import { hasLaterTables, installJobs } from './install.ts'
import { WORKER_INTERVALS, type WorkerIntervals } from './intervals.ts'
import type { Job } from './job.ts'
import { queueOf } from './queue.ts'
import { createTaker, type Taker } from './taker.ts'
import { JOB_CHANNEL } from './wake.ts'

interface WorkerOptions {
  services: Services
  jobs: readonly Job[]
  /** Makes the tables of jobs if they are missing. */
  migrate: boolean
  /** Jobs that need connections and run at once, of all queues together. */
  at_once: number
  /** Jobs that wait for a model at once. */
  model_calls: number
  /** Milliseconds that never go back. */
  elapsed?: (() => number) | undefined
  intervals?: WorkerIntervals | undefined
  /** Called after every attempt. */
  onAttemptEnd(job: string, outcome: 'completed' | 'failed', seconds: number): void
  /** Called when a job has failed for the last time. */
  onDeath(job: string): void
}

export interface Worker {
  /** Begins, as soon as the database allows it. */
  start(): void
  /** False if the process runs jobs and has not been able to look for them for half a minute. */
  isWorking(): boolean
  /** Takes no more jobs, waits `ms` for those that run, and gives the others back. */
  stop(ms: number): Promise<void>
}

const LOG_INTERVAL_MS = 30_000
const LOOKED_MS = 30_000

// A job that lost its worker, or that a stopping one gave back, did not fail: it is retried without the pause after a
// failure, and before what came after it. The condition is that of the index of jobs that wait, so that those that have
// ended cost nothing.
const RESUME = statement(
  'jobs.resume',
  `update pgboss.job j set start_after = j.created_on
   where j.name = any($1::text[]) and j.state < 'active' and not j.blocked and j.state = 'retry'
     and j.start_after > j.created_on and (${WAS_LOST} or j.output->>'message' = '${RELEASED}')`,
)

export function createWorker(options: WorkerOptions): Worker {
  const { services, jobs, migrate, elapsed = () => performance.now(), intervals = WORKER_INTERVALS } = options
  const { database, environment, log } = services
  const queues = jobs.map((job) => queueOf(environment, job))
  const at_once = createFairSemaphore(options.at_once)
  let boss: PgBoss | null = null
  let taker: Taker | null = null
  let stopping = false
  let stopListening: (() => Promise<void>) | undefined
  let resuming: NodeJS.Timeout | undefined
  let last_logged = Number.NEGATIVE_INFINITY
  /** The instant at which jobs were looked for; null in a process that runs none. */
  let looked_at: number | null = null
  let starting: Promise<void> = Promise.resolve()

  /** Logs a failure outside attempts, at most once in 30 seconds: in an outage every look fails. */
  function logFailure({ message, code }: Error & { code?: string }): void {
    const now = performance.now()
    if (now - last_logged < LOG_INTERVAL_MS) return
    last_logged = now
    log.warn({ reason: message, code }, 'jobs cannot be looked for')
  }

  const looked = () => {
    looked_at = elapsed()
  }

  async function begin(): Promise<void> {
    const is_older = (await standingOf(database.sql)) === 'later'
    if (migrate && !is_older) await installJobs(database, environment, jobs)
    const started = await createBoss({
      database,
      migrate: await hasLaterTables(database.sql),
      works: true,
      supervise_seconds: intervals.supervise_seconds,
    })
    started.on('error', logFailure)
    started.on('warning', ({ message, data }) =>
      log.warn({ type: (data as { type?: string }).type }, message),
    )
    boss = started
    await started.start()
    // The queues and schedules of a later release stay as they are.
    if (!is_older) {
      await makeQueues(started, environment, jobs)
      await makeSchedules(started, environment, jobs)
    }
    const places = {
      places: options.at_once,
      model_calls: options.model_calls,
      look_ms: intervals.look_ms,
    }
    const { onAttemptEnd, onDeath } = options
    const events = { onLook: looked, onError: logFailure, onAttemptEnd }
    const taking = createTaker({ services, boss: started, jobs, at_once, ...places, ...events })
    taker = taking
    stopListening = database.listen(JOB_CHANNEL, { connected: taking.wake, notified: taking.wake })
    const reportDeaths = await watchDeaths(services, onDeath)
    resuming = setInterval(() => {
      database.sql.rows(RESUME, [queues]).catch(logFailure)
      reportDeaths().catch(logFailure)
    }, intervals.resume_ms).unref()
    taking.wake()
    log.info({ queues: jobs.length }, 'working')
  }

  async function beginWithRetries(): Promise<void> {
    while (!stopping) {
      try {
        return await begin()
      } catch (error) {
        log.warn({ err: error }, 'jobs cannot be run yet')
        await taker?.stop(0)
        await stopListening?.()
        await boss?.stop({ graceful: false }).catch(() => {})
        boss = null
        taker = null
      }
      for (let waited = 0; waited < intervals.retry_ms && !stopping; waited += 100) await sleep(100)
    }
  }

  return {
    start() {
      looked()
      starting = beginWithRetries()
    },
    isWorking: () => looked_at === null || elapsed() - looked_at < LOOKED_MS,
    async stop(ms) {
      stopping = true
      await starting
      clearInterval(resuming)
      await stopListening?.()
      await taker?.stop(ms)
      await boss?.stop({ graceful: false })
    },
  }
}
