/** Runs one attempt at a job, and settles it: completed, failed, or given back. */
import type { PgBoss } from 'pg-boss'
import type { Services } from '../gateway/context.ts'
import type { FairSemaphore } from '../lib/fair-semaphore.ts'
import { contextOf, failureOf, giveUp, JobReleased, makeLast, ownerOf, perform } from './attempt.ts'
import { type ClaimedJob, SUSPECT_LOST } from './claim.ts'
import type { Job } from './job.ts'

export interface RunOptions {
  services: Services
  boss: PgBoss
  /** Bounds the jobs that need connections: tenants take turns. */
  at_once: FairSemaphore
  /** Called after every attempt. */
  onAttemptEnd(job: string, outcome: 'completed' | 'failed', seconds: number): void
}

/** An attempt under way. */
export interface Attempt {
  id: string
  queue: string
  job: Job
  tenant: string
  /** True if several workers were lost with the job, and it has not got on since. */
  is_suspect(): boolean
  /** Rejects if its end could not be stored: the job is taken up again once it has not been heard of. */
  ended: Promise<void>
  /** Returns the job to its queue, and then aborts the attempt. */
  release(): Promise<void>
}

export function beginAttempt(
  { services, boss, at_once, onAttemptEnd }: RunOptions,
  job: Job,
  { queue, id, data, retry_count, lost }: ClaimedJob,
): Attempt {
  let is_suspect = lost >= SUSPECT_LOST
  const over = new AbortController()
  const stored = { id, data, retryCount: retry_count, lost, signal: over.signal }
  const ctx = contextOf(services, boss, job, stored, at_once, () => {
    is_suspect = false
  })
  const started = performance.now()

  const end = (outcome: 'completed' | 'failed') => {
    const ms = performance.now() - started
    onAttemptEnd(job.name, outcome, ms / 1000)
    return { outcome, ms: Math.round(ms * 100) / 100 }
  }

  /** Rejects when the attempt is aborted: its handler may take longer to notice. */
  async function workInTime(): Promise<void> {
    const aborted = Promise.withResolvers<never>()
    const abort = () => aborted.reject(over.signal.reason)
    over.signal.addEventListener('abort', abort, { once: true })
    const late = setTimeout(
      () => over.abort(new Error(`The attempt took longer than ${job.timeout_seconds} seconds`)),
      job.timeout_seconds * 1000,
    ).unref()
    // Cron never waits behind the work of tenants.
    const bounded = !job.waits && job.tenancy === 'tenant'
    const working = bounded ? ctx.inTurn(() => perform(job, ctx, stored)) : perform(job, ctx, stored)
    try {
      await Promise.race([working, aborted.promise])
    } finally {
      clearTimeout(late)
      over.signal.removeEventListener('abort', abort)
      working.catch(() => {})
    }
  }

  async function run(): Promise<void> {
    try {
      if (lost >= job.most_lost) {
        await giveUp(job, ctx, boss, stored)
        services.measured.job_given_up(job.name)
        ctx.log.error({ ...end('failed'), lost }, 'a job is given up: its workers were lost')
        return
      }
      await workInTime()
      ctx.log.info(end('completed'), 'job')
      if (!job.transaction) await boss.complete(queue, id)
    } catch (error) {
      if (error instanceof JobReleased && over.signal.aborted) return
      ctx.log.error({ ...end('failed'), err: error }, 'job')
      if (ctx.attempt > job.retries) await makeLast(services.database.sql, queue, id)
      await boss.fail(queue, id, failureOf(error))
    }
  }

  return {
    id,
    queue,
    job,
    tenant: ownerOf(data),
    is_suspect: () => is_suspect,
    ended: run(),
    async release() {
      const released = new JobReleased()
      await boss.fail(queue, id, failureOf(released)).finally(() => over.abort(released))
    },
  }
}
