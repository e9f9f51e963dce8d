/** Starts a sync that the caller asks for. */
import { lockTenant } from '../../db/transaction.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { connectedSystems, type requireIntegration } from '../integrations/index.ts'
import { beginAskedSync, syncsOf } from './begin.ts'
import { earlierSyncs } from './queries.ts'
import { readingOf } from './reading.ts'
import { stagesOf } from './rules.ts'
import type { SyncRow } from './sync.ts'

interface Asked {
  is_full: boolean
  accept_missing: boolean
}

/** The sync of the integration; 409 if it is not connected, is not read by the service, or has a sync under way. */
export async function startSync(
  ctx: Context,
  integration: ReturnType<typeof requireIntegration>,
  { is_full, accept_missing }: Asked,
): Promise<SyncRow> {
  const { name, system, category } = integration
  if (!(await connectedSystems(ctx)).has(system))
    throw new ApiError('integration_not_connected', { details: { name } })
  const stages = stagesOf(category)
  if (stages.length === 0) throw new ApiError('integration_not_syncable', { details: { name } })
  await lockTenant(ctx, syncsOf(ctx, integration))
  const { open_id, last, last_full } = await earlierSyncs(ctx, name)
  if (open_id !== null) throw new ApiError('sync_already_running', { details: { sync_id: open_id } })
  return await beginAskedSync(ctx, {
    integration,
    action: 'integration_sync.requested',
    accept_missing,
    stages,
    ...readingOf(category, { last, last_full, full: is_full || accept_missing, now: ctx.now }),
  })
}
