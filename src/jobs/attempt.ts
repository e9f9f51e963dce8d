/** One attempt at a job: its context, its transaction, and the stored form of its failure. */
import type { PgBoss } from 'pg-boss'
import { type Sql, statement } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Services } from '../gateway/context.ts'
import type { StoredJob } from '../gateway/job-sender.ts'
import type { FairSemaphore } from '../lib/fair-semaphore.ts'
import { loggableError } from '../lib/loggable-error.ts'
import { givenUpError } from './dead-letters.ts'
import type { Job, UnboundJobContext } from './job.ts'
import { queueOf } from './queue.ts'
import { bossDatabase } from './sender.ts'
import { serviceContext } from './service-context.ts'

export interface StoredAttempt {
  id: string
  data: StoredJob
  /** The times that a worker took it before. */
  retryCount: number
  /** The workers that were lost with it; absent: none. */
  lost?: number
  signal: AbortSignal
}

const FORGET_LOST = statement(
  'jobs.forget_lost',
  "update pgboss.job set data = data - 'lost' where name = $1 and id = $2::uuid and state = 'active'",
)

const NO_MORE = statement(
  'jobs.no_more_attempts',
  "update pgboss.job set retry_limit = retry_count where name = $1 and id = $2::uuid and state = 'active'",
)

/** Lets the failure of the attempt that follows make the job a dead letter. */
export const makeLast = (sql: Sql, queue: string, id: string): Promise<unknown> =>
  sql.rows(NO_MORE, [queue, id])

/** Whose turn a job takes. */
export const ownerOf = ({ tenancy }: StoredJob): string => tenancy?.tenant_id ?? ''

/** The context of an attempt. `commit` completes the job in the transaction of the work. */
export function contextOf(
  services: Services,
  boss: PgBoss,
  job: Job,
  { id, data, retryCount, lost = 0, signal }: StoredAttempt,
  at_once?: FairSemaphore,
  onForgotten?: () => void,
): UnboundJobContext {
  const attempt = retryCount + 1 - lost
  const queue = queueOf(services.environment, job)
  let counted = lost
  const ctx: UnboundJobContext = {
    ...serviceContext(services, job.name, id, data.tenancy),
    signal,
    log: services.log.child({ job: job.name, job_id: id, attempt }),
    attempt,
    taken: retryCount + 1,
    inTurn: (work) => (at_once ? at_once.run(ownerOf(data), work, signal) : work()),
    async forgetLost() {
      if (counted === 0) return
      counted = 0
      await services.database.sql.rows(FORGET_LOST, [queue, id])
      onForgotten?.()
    },
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

/** Gives the job up: ends what it was for, and makes it a dead letter, in one transaction. */
export async function giveUp(
  job: Job,
  ctx: UnboundJobContext,
  boss: PgBoss,
  { id, data, lost }: StoredAttempt,
): Promise<void> {
  const queue = queueOf(ctx.services.environment, job)
  await inTransaction(ctx, job.timeout_seconds * 1000, async () => {
    if (!ctx.transaction) throw new Error(`${job.name} is given up in no transaction`)
    await job.onGivenUp?.(ctx, job.payload.parse(data.payload))
    await makeLast(ctx.transaction, queue, id)
    const failure = failureOf(givenUpError(lost))
    const { affected } = (await boss.fail(queue, id, failure, { db: bossDatabase(ctx.transaction) })) as {
      affected: number
    }
    if (ctx.signal.aborted || affected !== 1) throw new Error('The job belongs to this worker no more')
  })
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
