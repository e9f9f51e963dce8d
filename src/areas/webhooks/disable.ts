/** Turning endpoints off, by the service. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { record } from '../../gateway/activity.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { targetOf } from '../../schema/changes/change.ts'
import type { EndpointRow } from './endpoint.ts'
import { ENDPOINT_EVENTS } from './events.ts'
import { ENDPOINT, failPending } from './queries.ts'

type Reason = Exclude<NonNullable<EndpointRow['disabled_reason']>, 'MANUAL'>

const DISABLE = scoped(
  'webhooks.disable',
  `update webhook_endpoint w set status = 'AUTO_DISABLED', disabled_reason = $4::text::webhook_disabled_reason,
     updated_at = $5::timestamptz
   where w.tenant_id = $1 and w.environment = $2 and w.id = $3::text and w.status = 'ENABLED'
   returning w.id, w.url`,
)

/** Turns an endpoint off that is on, with what waits for it, in a transaction. */
export async function disable(ctx: MutationContext, endpoint_id: string, reason: Reason): Promise<void> {
  const [endpoint] = await sql<EndpointRow>(ctx, DISABLE, [endpoint_id, reason, ctx.now])
  if (!endpoint) return
  await failPending(ctx, endpoint_id)
  await record(ctx, {
    action: 'webhook_endpoint.disabled',
    targets: [targetOf(ENDPOINT, ENDPOINT.named(endpoint))],
    after: { status: 'AUTO_DISABLED', disabled_reason: reason },
    events: [ENDPOINT_EVENTS.disabled({ endpoint_id, disabled_reason: reason })],
  })
}

/** SQL: the endpoint `w` is on, and its owner was removed. */
export const IS_ORPHAN = `w.status = 'ENABLED' and w.owner_user_id is not null and not exists (select from tenant_user u
  where u.tenant_id = w.tenant_id and u.environment = w.environment and u.id = w.owner_user_id)`

const ORPHANS = scoped(
  'webhooks.orphans',
  `select w.id from webhook_endpoint w where w.tenant_id = $1 and w.environment = $2 and ${IS_ORPHAN}`,
)

/** Turns the endpoints off whose owner was removed. */
export async function disableOrphans(ctx: MutationContext & DatabaseContext): Promise<void> {
  for (const { id } of await sql<{ id: string }>(ctx, ORPHANS)) await disable(ctx, id, 'OWNER_REMOVED')
}
