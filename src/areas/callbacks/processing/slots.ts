/** The concurrency cap: how many callbacks of a tenant are processed at once, over all processes. */
import { type DatabaseContext, scoped, sql, tenancyOf } from '../../../db/db.ts'
import { lockTenant } from '../../../db/transaction.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { Row } from '../../../schema/models.ts'
import { PROCESS_CALLBACK } from './job.ts'

// Contract silent: the number under the concurrency cap. Most of the time of each it waits for the PSA.
/** The callbacks of a tenant that are processed at once; the others wait in the order in which they came to it. */
export const AT_ONCE = 10

/** The context of a job, or of a sweep. */
export type ProcessContext = MutationContext & { services: Pick<Services, 'environment' | 'jobs'> }

/** A transaction that takes or gives a slot holds this lock. It is the last lock that a transaction takes. */
const lockSlots = (ctx: DatabaseContext): Promise<void> =>
  lockTenant(ctx, `callbacks.slots ${tenancyOf(ctx).environment}`)

export type ClaimedCallback = Pick<
  Row<'Callback'>,
  | 'id'
  | 'status'
  | 'entity_type'
  | 'entity_id'
  | 'action'
  | 'source'
  | 'change_types'
  | 'own_changes'
  | 'received_at'
  | 'psa_changed_at'
  | 'attempts'
>

const WAITED = `c.wait_seconds + greatest(0, coalesce(date_part('epoch', $4::timestamptz - c.waits_since), 0))`

// A callback that is PROCESSING has its slot: it was handed over, or its worker was lost.
const CLAIM = scoped(
  'callbacks.claim',
  `with slot as (
     select count(*) < ${AT_ONCE} as is_free from callback w
     where w.tenant_id = $1 and w.environment = $2 and w.status = 'PROCESSING'
   )
   update callback c set
     status = (case when c.status = 'PROCESSING' or slot.is_free then 'PROCESSING' else 'QUEUED' end)::callback_status,
     wait_seconds = case when slot.is_free then ${WAITED} else c.wait_seconds end,
     waits_since = case when c.status = 'PROCESSING' or slot.is_free then null
       else coalesce(c.waits_since, $4::timestamptz) end
   from slot
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text
     and c.status in ('RECEIVED', 'QUEUED', 'PROCESSING')
   returning c.id, c.status, c.entity_type, c.entity_id, c.action, c.source, c.change_types, c.own_changes,
     c.received_at, c.psa_changed_at, c.attempts`,
)

/** Takes a slot for the callback; null if there is none, or if it has ended. One that waits is handed a slot later. */
export async function takeSlot(ctx: ProcessContext, callback_id: string): Promise<ClaimedCallback | null> {
  await lockSlots(ctx)
  const [claimed] = await sql<ClaimedCallback>(ctx, CLAIM, [callback_id, ctx.now])
  return claimed?.status === 'PROCESSING' ? claimed : null
}

const GRANT = scoped(
  'callbacks.grant_slots',
  `update callback c set status = 'PROCESSING', waits_since = null,
     wait_seconds = c.wait_seconds + greatest(0, date_part('epoch', $3::timestamptz - c.waits_since))
   where c.tenant_id = $1 and c.environment = $2 and c.id in (
     select n.id from callback n
     where n.tenant_id = $1 and n.environment = $2 and n.waits_since is not null
     order by n.waits_since, n.id
     limit greatest(0, ${AT_ONCE} - (
       select count(*) from callback h
       where h.tenant_id = $1 and h.environment = $2 and h.status = 'PROCESSING'
     ))
   )
   returning c.id`,
)

/** Hands free slots to the callbacks that have waited longest. It is called after a callback has left its slot. */
export async function grantSlots(ctx: ProcessContext): Promise<void> {
  await lockSlots(ctx)
  const granted = await sql<{ id: string }>(ctx, GRANT, [ctx.now])
  for (const { id } of granted) await enqueue(ctx, PROCESS_CALLBACK, { callback_id: id })
}
