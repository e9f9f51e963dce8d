/** Begins a sync. */
import { callerOf, recordedName } from '../../access/viewer.ts'
import { tenancyOf } from '../../db/db.ts'
import { insert } from '../../db/query/insert.ts'
import { lockTenant } from '../../db/transaction.ts'
import { record } from '../../gateway/activity.ts'
import type { Context, MutationContext, Services } from '../../gateway/context.ts'
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

interface SyncDraft extends Pick<SyncRow, 'is_full' | 'accept_missing' | 'changed_since' | 'stages'> {
  integration: Integration
}

/** Stores a sync, and enqueues its first page. `requested_by_name` is null if the service begins it by itself. */
export async function beginSync(
  ctx: MutationContext & { services: Services },
  { integration, ...draft }: SyncDraft,
  requested_by_name: string | null,
): Promise<SyncRow> {
  const row = {
    ...draft,
    id: newId('syn'),
    name: integration.name,
    requested_by_name,
    created_at: ctx.now,
    updated_at: ctx.now,
  }
  const sync = (await insert(ctx, INSERT_SYNC, row)) as SyncRow
  await tellConnection(ctx, sync)
  await enqueue(ctx, READ_PAGE, { sync_id: sync.id, stage: stageToRead(sync) ?? 0, after: null })
  return sync
}

/** The same for a sync that the caller asks for, which is recorded. */
export async function beginAskedSync(
  ctx: Context,
  { action, ...draft }: SyncDraft & { action: string },
): Promise<SyncRow> {
  const sync = await beginSync(ctx, draft, recordedName(callerOf(ctx)))
  const targets = [{ type: 'integration_sync', id: sync.id, name: draft.integration.label }]
  await record(ctx, { action, targets, after: sync })
  return sync
}
