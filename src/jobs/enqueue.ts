/** Enqueues jobs in the transaction of a mutation, or of another job. */
import type { z } from 'zod'
import type { MutationContext } from '../gateway/context.ts'
import type { JobSender, SendOptions, StoredJob } from '../gateway/job-sender.ts'
import type { Job } from './job.ts'
import { queueOf } from './queue.ts'

export type EnqueueContext = Pick<MutationContext, 'viewer' | 'transaction'> & {
  services: { jobs: JobSender; environment: string }
}

type Enqueued<Payload extends z.ZodType> = Pick<Job<Payload>, 'name' | 'payload' | 'tenancy'>

/**
 * Stores the job in the caller's transaction, with which it commits or rolls back, and returns its id. A tenant's job
 * belongs to the caller's tenant and environment.
 */
export async function enqueue<Payload extends z.ZodType>(
  ctx: EnqueueContext,
  job: Enqueued<Payload>,
  payload: z.input<Payload>,
  sending?: SendOptions,
): Promise<string> {
  const { services } = ctx
  const queue = queueOf(services.environment, job)
  return await services.jobs.send(transactionOf(ctx, job), queue, storedOf(ctx, job, payload), sending)
}

/** Stores jobs of one queue in one statement. */
export async function enqueueAll<Payload extends z.ZodType>(
  ctx: EnqueueContext,
  job: Enqueued<Payload>,
  jobs: readonly ({ payload: z.input<Payload> } & SendOptions)[],
): Promise<void> {
  const { services } = ctx
  const stored = jobs.map(({ payload, start_after }) => ({
    job: storedOf(ctx, job, payload),
    ...(start_after && { start_after }),
  }))
  await services.jobs.sendAll(transactionOf(ctx, job), queueOf(services.environment, job), stored)
}

function transactionOf({ transaction }: EnqueueContext, { name }: Pick<Job, 'name'>) {
  if (!transaction) throw new Error(`${name} is enqueued in no transaction`)
  return transaction
}

function storedOf<Payload extends z.ZodType>(
  { viewer }: EnqueueContext,
  { name, payload: schema, tenancy }: Enqueued<Payload>,
  payload: z.input<Payload>,
): StoredJob {
  // The stored form is judged, since that is what a worker will read.
  const stored: unknown = JSON.parse(JSON.stringify(payload))
  schema.parse(stored)
  return { tenancy: tenancy === 'system' ? null : tenancyOf(name, viewer), payload: stored }
}

function tenancyOf(name: string, viewer: MutationContext['viewer']) {
  if (!viewer) throw new Error(`${name} is a tenant's job and was enqueued for none`)
  return { tenant_id: viewer.tenant_id, environment: viewer.environment }
}
