/** Runs jobs in this process. When it stops, it returns unfinished jobs to their queues. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PgBoss } from 'pg-boss'
import { statement } from '../db/sql.ts'
import type { Services } from '../gateway/context.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { contextOf, failureOf, GIVEN_BACK, perform, type StoredAttempt } from './attempt.ts'
import { createBoss, HEARTBEAT_REFRESH_SECONDS, makeQueues, makeSchedules, POLL_SECONDS } from './boss.ts'
import type { Job } from './job.ts'
import type { StoredJob } from './sender.ts'
import { JOB_CHANNEL } from './wake.ts'

interface WorkerOptions {
  services: Services
  jobs: readonly Job[]
  /** Makes the tables of jobs where they are missing. */
  migrate: boolean
  /** Jobs that run at once, of all queues together. */
  at_once: number
  /** Called after every attempt. */
  onAttemptEnd(job: string, outcome: 'completed' | 'failed', seconds: number): void
}

export interface Worker {
  /** Begins, as soon as the database allows it. */
  start(): void
  /** Takes no more jobs, waits `ms` for those that run, and gives the others back. */
  stop(ms: number): Promise<void>
}

/** The loops that take jobs from a queue. */
interface Loops {
  ids: Set<string>
  /** The number of those that look for a job. */
  free: number
}

const RETRY_MS = 5_000
const RESUME_MS = 5_000
const LOG_INTERVAL_MS = 30_000

// A job that lost its worker, or that a stopping one gave back, did not fail: it is retried without the pause after a
// failure. The condition is that of the index of jobs that wait, so that those that have ended cost nothing.
const RESUME = statement(
  'jobs.resume',
  `update pgboss.job set start_after = now()
   where name = any($1::text[]) and state < 'active' and not blocked and state = 'retry' and start_after > now()
     and (output->'value'->>'message' = 'job heartbeat timeout' or output->>'value' like 'pg-boss shut down%'
       or output->>'message' = '${GIVEN_BACK}')`,
)

export function createWorker(options: WorkerOptions): Worker {
  const { services, jobs, migrate } = options
  const { database, log } = services
  const semaphore = createSemaphore(options.at_once)
  let boss: PgBoss | null = null
  let stopping = false
  let stopListening: (() => Promise<void>) | undefined
  let resuming: NodeJS.Timeout | undefined
  let last_logged = Number.NEGATIVE_INFINITY
  let starting: Promise<void> = Promise.resolve()

  /** Logs a failure outside attempts, at most once in 30 seconds: in an outage every loop fails repeatedly. */
  function logFailure({ message, code }: Error & { code?: string }): void {
    const now = performance.now()
    if (now - last_logged < LOG_INTERVAL_MS) return
    last_logged = now
    log.warn({ reason: message, code }, 'jobs cannot be looked for')
  }

  const bounded = (job: Job, work: () => Promise<void>) => (job.waits ? work() : semaphore.run(work))

  async function attempt(boss: PgBoss, job: Job, stored: StoredAttempt): Promise<void> {
    const ctx = contextOf(services, boss, job, stored)
    const started = performance.now()
    const end = (outcome: 'completed' | 'failed') => {
      const ms = performance.now() - started
      options.onAttemptEnd(job.name, outcome, ms / 1000)
      return { outcome, ms: Math.round(ms * 100) / 100 }
    }
    try {
      await bounded(job, () => perform(job, ctx, stored))
      ctx.log.info(end('completed'), 'job')
    } catch (error) {
      ctx.log.error({ ...end('failed'), err: error }, 'job')
      throw failureOf(error)
    }
  }

  /**
   * Starts a loop that takes jobs from a queue. After a job it looks for the next one at once. There is always one that
   * looks for jobs, and no more: every one of them would be woken by each job.
   */
  async function take(boss: PgBoss, job: Job, loops: Loops): Promise<void> {
    loops.free++
    const loop: string = await boss.work<StoredJob, void>(
      job.name,
      {
        includeMetadata: true,
        heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SECONDS,
        pollingIntervalSeconds: POLL_SECONDS,
      },
      async ([stored]) => {
        loops.free--
        if (loops.free === 0 && loops.ids.size < job.concurrency && !stopping)
          take(boss, job, loops).catch(logFailure)
        try {
          if (stored) await attempt(boss, job, stored as StoredAttempt)
        } finally {
          if (loops.free > 0) {
            loops.ids.delete(loop)
            void boss.offWork(job.name, { id: loop, wait: false })
          } else {
            loops.free++
            boss.notifyWorker(loop)
          }
        }
      },
    )
    loops.ids.add(loop)
  }

  /** Lets loops look for a job at once when there is one: those that wait, and the others after their job. */
  function listen(boss: PgBoss, queues: ReadonlyMap<string, Loops>): () => Promise<void> {
    const wake = (queue: string) => {
      for (const loop of queues.get(queue)?.ids ?? []) boss.notifyWorker(loop)
    }
    return database.listen(JOB_CHANNEL, {
      connected: () => {
        for (const queue of queues.keys()) wake(queue)
      },
      notified: wake,
    })
  }

  async function begin(): Promise<void> {
    const started = await createBoss({ database, migrate, works: true })
    started.on('error', logFailure)
    started.on('warning', ({ message, data }) =>
      log.warn({ type: (data as { type?: string }).type }, message),
    )
    boss = started
    await started.start()
    await makeQueues(started, jobs)
    await makeSchedules(started, jobs)
    const queues = new Map<string, Loops>()
    for (const job of jobs) {
      const loops: Loops = { ids: new Set(), free: 0 }
      queues.set(job.name, loops)
      await take(started, job, loops)
    }
    stopListening = listen(started, queues)
    resuming = setInterval(() => {
      database.sql.rows(RESUME, [jobs.map(({ name }) => name)]).catch(logFailure)
    }, RESUME_MS).unref()
    log.info({ queues: jobs.length }, 'working')
  }

  async function beginWithRetries(): Promise<void> {
    while (!stopping) {
      try {
        return await begin()
      } catch (error) {
        log.warn({ err: error }, 'jobs cannot be run yet')
        await boss?.stop({ graceful: false }).catch(() => {})
        boss = null
      }
      for (let waited = 0; waited < RETRY_MS && !stopping; waited += 100) await sleep(100)
    }
  }

  return {
    start() {
      starting = beginWithRetries()
    },
    async stop(ms) {
      stopping = true
      await starting
      clearInterval(resuming)
      await stopListening?.()
      await boss?.stop({ graceful: true, timeout: ms })
    },
  }
}
