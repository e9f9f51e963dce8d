/** Begins a sync. */
import { callerOf, recordedName } from '../../access/viewer.ts'
import { tenancyOf } from '../../db/db.ts'
import { lockTenant } from '../../db/transaction.ts'
import { insertRecorded } from '../../gateway/activity.ts'
import type { Context, MutationContext } from '../../gateway/context.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { newId } from '../../lib/ids.ts'
import type { requireIntegration } from '../integrations/index.ts'
import { READ_PAGE } from './declared.ts'
import { INSERT_SYNC, tellConnection } from './queries.ts'
import { stageToRead } from './rules.ts'
import type { SyncRow } from './sync.ts'

type Integration = ReturnType<typeof requireIntegration>

/** Until the transaction ends, no other sync of the integration begins. */
export const lockSyncs = (ctx: MutationContext, { name }: Pick<Integration, 'name'>): Promise<void> =>
  lockTenant(ctx, `${tenancyOf(ctx).environment} sync ${name}`)

interface SyncDraft extends Pick<SyncRow, 'is_full' | 'changed_since' | 'stages'> {
  integration: Integration
  action: string
}

/** Stores a sync that the caller asks for, and enqueues its first page. */
export async function beginSync(
  ctx: Context,
  { integration, action, ...draft }: SyncDraft,
): Promise<SyncRow> {
  const row = {
    ...draft,
    id: newId('syn'),
    name: integration.name,
    requested_by_name: recordedName(callerOf(ctx)),
    created_at: ctx.now,
    updated_at: ctx.now,
  }
  const targets = [{ type: 'integration_sync', id: row.id, name: integration.label }]
  const sync = (await insertRecorded(ctx, INSERT_SYNC, row, { action, targets, after: row })) as SyncRow
  await tellConnection(ctx, sync)
  await enqueue(ctx, READ_PAGE, { sync_id: sync.id, stage: stageToRead(sync) ?? 0, after: null })
  return sync
}
