/** Enqueues jobs in the transaction of a mutation, or of another job. */
import type { z } from 'zod'
import type { MutationContext } from '../gateway/context.ts'
import type { Job } from './job.ts'
import { queueOf } from './queue.ts'
import type { JobSender, SendOptions } from './sender.ts'

type EnqueueContext = Pick<MutationContext, 'viewer' | 'transaction'> & {
  services: { jobs: JobSender; environment: string }
}

/**
 * Stores the job in the caller's transaction, with which it commits or rolls back, and returns its id. A tenant's job
 * belongs to the caller's tenant and environment.
 */
export async function enqueue<Payload extends z.ZodType>(
  ctx: EnqueueContext,
  job: Pick<Job<Payload>, 'name' | 'payload' | 'tenancy'>,
  payload: z.input<Payload>,
  sending?: SendOptions,
): Promise<string> {
  const { transaction, viewer, services } = ctx
  const { name, payload: schema, tenancy } = job
  if (!transaction) throw new Error(`${name} is enqueued in no transaction`)
  // The stored form is judged, since that is what a worker will read.
  const stored: unknown = JSON.parse(JSON.stringify(payload))
  schema.parse(stored)
  return await services.jobs.send(
    transaction,
    queueOf(services.environment, job),
    { tenancy: tenancy === 'system' ? null : tenancyOf(name, viewer), payload: stored },
    sending,
  )
}

function tenancyOf(name: string, viewer: MutationContext['viewer']) {
  if (!viewer) throw new Error(`${name} is a tenant's job and was enqueued for none`)
  return { tenant_id: viewer.tenant_id, environment: viewer.environment }
}
