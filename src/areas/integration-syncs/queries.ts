/** The SQL of syncs, and how changes reach them. */
import { db, ownKey, scoped, scopedInsert, sql } from '../../db/db.ts'
import { ApiError, found } from '../../errors/errors.ts'
import type { Context, MutationContext } from '../../gateway/context.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { integrationNamed } from '../integrations/index.ts'
import type { Progress } from './rules.ts'
import { IntegrationSync, type SyncRow, syncEtag } from './sync.ts'

/** Syncs, as callers change them. */
export const SYNC = defineTable<SyncRow, SyncRow['status']>()('IntegrationSync', {
  alias: 's',
  noun: 'integration_sync',
  type: IntegrationSync,
  argument: 'sync_id',
  description: 'The `id` of the sync.',
  not_found: 'integration_sync_not_found',
  prefix: 'syn',
  title: ({ name }) => integrationNamed(name)?.label ?? name,
  etag: syncEtag,
  state: {
    of: ({ status }) => status,
    refusal: (_sync, current_status) => new ApiError('sync_not_cancellable', { details: { current_status } }),
  },
})

export const INTEGRATION_SYNCS = SYNC.list({
  name: 'integration_syncs',
  filters: {
    name: {
      type: 'ID',
      required: true,
      description: 'The `id` of the integration, in lower case.',
      where: 's.name = ?::text',
    },
    status: SYNC.by.isOneOf('status', 'Only syncs with one of these statuses'),
  },
})

/** The sync, of the integration if one is named, or 404; `query` is of the field that answers with it. */
export async function readSync(
  ctx: Context,
  { id, ...integration }: { id: string; name?: string },
  query: object,
): Promise<SyncRow> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id }), ...integration }
  const row = await db(ctx).integrationSync.findUnique({ ...query, where })
  return found(row as SyncRow | null, 'integration_sync_not_found', id)
}

interface Earlier {
  /** The sync that has not ended. */
  open_id: string | null
  /** When the latest that reads the system was asked for, whatever became of it. */
  last_asked: Date | null
  /** The start of the latest that has read the system to its end, and of the latest full one of them. */
  last: Date | null
  last_full: Date | null
}

const READS = `from integration_sync s where s.tenant_id = $1 and s.environment = $2 and s.name = $3::text
  and s.stages -> 0 ->> 'stage' <> 'CUSTOMERS'`

// Contract silent: rows that cannot be stored are read again with the next full sync, or once they change.
const READ_TO_END = `${READS} and s.status in ('SUCCEEDED', 'PARTIAL') and not exists (
  select from jsonb_array_elements(s.stages) g
  where g ->> 'status' = 'FAILED' and (coalesce(g -> 'refused', g -> 'withheld') is null or g -> 'cut' is not null))`

const EARLIER = scoped(
  'integration_syncs.earlier',
  `select (
     select s.id from integration_sync s
     where s.tenant_id = $1 and s.environment = $2 and s.name = $3::text and s.status in ('QUEUED', 'RUNNING') limit 1
   ) as open_id,
   (select s.created_at ${READS} order by s.created_at desc limit 1) as last_asked,
   (select s.started_at ${READ_TO_END} order by s.created_at desc limit 1) as last,
   (select s.started_at ${READ_TO_END} and s.changed_since is null
    order by s.created_at desc limit 1) as last_full`,
)

/** What is known of the integration's syncs up to now. */
export async function earlierSyncs(ctx: MutationContext, name: string): Promise<Earlier> {
  const [row] = await sql<Earlier>(ctx, EARLIER, [name])
  return row ?? { open_id: null, last_asked: null, last: null, last_full: null }
}

// A system that is fed may never have been connected.
const TELL_CONNECTION = scopedInsert(
  'integration_syncs.tell_connection',
  `insert into integration_connection (tenant_id, environment, name, connected, last_sync_at, last_sync_status, updated_at)
   values ($1, $2, $3::text, false, $4::timestamptz, $5::sync_status, $6::timestamptz)
   on conflict (tenant_id, environment, name) do update
   set last_sync_at = excluded.last_sync_at, last_sync_status = excluded.last_sync_status`,
)

/** Shows the sync as the latest of its integration. */
export async function tellConnection(
  ctx: MutationContext,
  { name, started_at, status }: Pick<SyncRow, 'name' | 'started_at' | 'status'>,
): Promise<void> {
  await sql(ctx, TELL_CONNECTION, [name, started_at ?? ctx.now, status, ctx.now])
}

const STORE = scoped(
  'integration_syncs.store',
  `update integration_sync set status = $4::sync_status, stages = $5::jsonb, error = $6::text,
     started_at = coalesce(started_at, $7::timestamptz), updated_at = $7::timestamptz,
     finished_at = case when $4::text in ('QUEUED', 'RUNNING') then null else $7::timestamptz end
   where tenant_id = $1 and environment = $2 and id = $3::text`,
)

/** Stores how far the sync is. */
export async function storeProgress(
  ctx: MutationContext,
  sync: SyncRow,
  { status, stages, error }: Progress,
): Promise<void> {
  await sql(ctx, STORE, [sync.id, status, JSON.stringify(stages), error, ctx.now])
  await tellConnection(ctx, { ...sync, status })
}
