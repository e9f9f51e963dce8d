/** Writes the activity log: what people and keys changed. */
import { actingUserIdOf } from '../../access/viewer.ts'
import { db } from '../../db/db.ts'
import type { Change } from '../../gateway/context.ts'
import { newId } from '../../lib/ids.ts'
import { snapshot } from './rules.ts'

interface Target {
  type: string
  id: string
  name: string
}

interface Activity {
  /** The area's noun and a past verb: `settings.updated`. */
  action: string
  targets: readonly Target[]
  before?: unknown
  after?: unknown
}

/** One row, in the transaction of the change that it tells of. */
export async function record(ctx: Change, { action, targets, before, after }: Activity): Promise<void> {
  const { viewer, request } = ctx
  if (!viewer) throw new Error('A change without a caller')
  const { ip, user_agent, id: request_id } = request
  const { tenant_id, environment } = viewer
  await db(ctx).activityEntry.create({
    data: {
      tenant_id,
      environment,
      id: newId('act'),
      occurred_at: ctx.now,
      action,
      actor_type: viewer.type,
      actor_id: viewer.id,
      actor_name: viewer.name,
      targets: targets.map((target) => ({ ...target })),
      context: { ip, user_agent, request_id, channel: null, acting_user_id: actingUserIdOf(viewer) },
      ...(before !== undefined && { before: snapshot(before) as object }),
      ...(after !== undefined && { after: snapshot(after) as object }),
    },
  })
  ctx.outcome = 'RECORDED'
}
