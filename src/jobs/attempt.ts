/** One attempt at a job: its context, its transaction, and the stored form of its failure. */
import type { PgBoss } from 'pg-boss'
import { inTransaction } from '../db/transaction.ts'
import type { Services } from '../gateway/context.ts'
import type { StoredJob } from '../gateway/job-sender.ts'
import type { FairSemaphore } from '../lib/fair-semaphore.ts'
import { loggableError } from '../lib/loggable-error.ts'
import type { Job, UnboundJobContext } from './job.ts'
import { queueOf } from './queue.ts'
import { bossDatabase } from './sender.ts'
import { serviceContext } from './service-context.ts'

export interface StoredAttempt {
  id: string
  data: StoredJob
  /** The attempts before. */
  retryCount: number
  signal: AbortSignal
}

/** Whose turn a job takes. */
export const ownerOf = ({ tenancy }: StoredJob): string => tenancy?.tenant_id ?? ''

/** The context of an attempt. `commit` completes the job in the transaction of the work. */
export function contextOf(
  services: Services,
  boss: PgBoss,
  job: Job,
  { id, data, retryCount, signal }: StoredAttempt,
  at_once?: FairSemaphore,
): UnboundJobContext {
  const attempt = retryCount + 1
  const ctx: UnboundJobContext = {
    ...serviceContext(services, job.name, id, data.tenancy),
    signal,
    log: services.log.child({ job: job.name, job_id: id, attempt }),
    attempt,
    inTurn: (work) => (at_once ? at_once.run(ownerOf(data), work, signal) : work()),
    commit: (work) =>
      inTransaction(ctx, job.timeout_seconds * 1000, async () => {
        const result = await work()
        await completeIn(ctx, boss, job, id)
        return result
      }),
  }
  return ctx
}

/**
 * Only a job that some worker holds can be completed, and only once. If this attempt lost the job, to a timeout or
 * to a worker that took it over, its effect is rolled back.
 */
async function completeIn(ctx: UnboundJobContext, boss: PgBoss, job: Job, id: string): Promise<void> {
  if (!ctx.transaction) throw new Error(`${job.name} is completed in no transaction`)
  const queue = queueOf(ctx.services.environment, job)
  const { affected } = (await boss.complete(queue, id, null, { db: bossDatabase(ctx.transaction) })) as {
    affected: number
  }
  if (ctx.signal.aborted || affected !== 1) throw new Error('The job belongs to this worker no more')
}

/** Runs the handler. The payload is validated again: another version may have stored it. */
export async function perform(job: Job, ctx: UnboundJobContext, { data }: StoredAttempt): Promise<void> {
  const payload = job.payload.parse(data.payload)
  if (job.transaction) await ctx.commit(() => job.handler(ctx, payload))
  else await job.handler(ctx, payload)
}

export const RELEASED = 'Given back: the process stops'

/** Ends an attempt whose process stops: the job did not fail, and another worker goes on with it. */
export class JobReleased extends Error {
  constructor() {
    super(RELEASED)
  }
}

const MESSAGE_CHARACTERS = 500

/** The stored form of a failure, for `npm run jobs`: its message alone, since an error may carry data. */
export function failureOf(error: unknown): Error {
  const { message = 'The attempt failed' } = loggableError(error) as { message?: string }
  return Object.assign(new Error(message.slice(0, MESSAGE_CHARACTERS)), { stack: '' })
}
