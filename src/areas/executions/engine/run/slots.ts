/** The slots of a tenant: how many of its executions are at work at once. The others wait in the order of arrival. */
import { type DatabaseContext, scoped, sql, tenancyOf } from '../../../../db/db.ts'
import { lockTenant, tryLockTenant } from '../../../../db/transaction.ts'
import type { MutationContext, Services } from '../../../../gateway/context.ts'
import { enqueue } from '../../../../jobs/enqueue.ts'
import { RUN_EXECUTION } from './job.ts'

const slotsOf = (ctx: DatabaseContext): string => `executions.slots ${tenancyOf(ctx).environment}`

/** A transaction that gives or takes a slot holds this lock, and takes it before it locks an execution. */
export const lockSlots = (ctx: DatabaseContext): Promise<void> => lockTenant(ctx, slotsOf(ctx))

/** For a transaction that has locked an execution already, and so must not wait: false if the lock is not free. */
export const tryLockSlots = (ctx: DatabaseContext): Promise<boolean> => tryLockTenant(ctx, slotsOf(ctx))

// Contract silent: an execution that waits for a technician has no slot, and takes one above the number when it resumes.
const GRANT = scoped(
  'executions.grant_slots',
  `update execution_work w
   set slot = 'GRANTED', waited_seconds = greatest(0, extract(epoch from $3::timestamptz - w.waits_since))
   where w.tenant_id = $1 and w.environment = $2 and w.execution_id in (
     select n.execution_id from execution_work n
     where n.tenant_id = $1 and n.environment = $2 and n.slot = 'WAITING'
     order by n.arrived_at, n.execution_id
     limit greatest(0, $4::int - (
       select count(*) from execution_work h
       where h.tenant_id = $1 and h.environment = $2 and h.slot in ('GRANTED', 'HELD')
     ))
   )
   returning w.execution_id`,
)

export type EngineContext = MutationContext & { services: Pick<Services, 'environment' | 'jobs' | 'slots'> }

/** Hands free slots to the executions that have waited longest, and wakes them. The slots are locked. */
export async function grantSlots(ctx: EngineContext): Promise<void> {
  const granted = await sql<{ execution_id: string }>(ctx, GRANT, [ctx.now, ctx.services.slots])
  for (const { execution_id } of granted) await enqueue(ctx, RUN_EXECUTION, { execution_id })
}
