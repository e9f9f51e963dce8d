/** Begins a sync. */
import { callerOf, recordedName } from '../../access/viewer.ts'
import { tenancyOf } from '../../db/db.ts'
import { record } from '../../gateway/activity.ts'
import type { Context, MutationContext, Services } from '../../gateway/context.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { targetOf } from '../../schema/changes/change.ts'
import type { requireIntegration } from '../integrations/index.ts'
import { READ_PAGE } from './declared.ts'
import { SYNC, tellConnection } from './queries.ts'
import { stageToRead } from './rules.ts'
import type { SyncRow } from './sync.ts'

type Integration = ReturnType<typeof requireIntegration>

/** The tenant's lock under which a sync of the integration begins. */
export const syncsOf = (ctx: MutationContext, { name }: Pick<Integration, 'name'>): string =>
  `${tenancyOf(ctx).environment} sync ${name}`

interface SyncDraft extends Pick<SyncRow, 'is_full' | 'accept_missing' | 'changed_since' | 'stages'> {
  integration: Integration
}

/** Stores a sync, and enqueues its first page. `requested_by_name` is null if the service begins it by itself. */
export async function beginSync(
  ctx: MutationContext & { services: Services },
  { integration, ...draft }: SyncDraft,
  requested_by_name: string | null,
): Promise<SyncRow> {
  const sync = await SYNC.insert(ctx, { ...draft, name: integration.name, requested_by_name })
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
  await record(ctx, { action, targets: [targetOf(SYNC, SYNC.named(sync))], after: sync })
  return sync
}
