/** The table of connections, and the writes beside their changes. */
import { type DatabaseContext, db, ownKey, ownTenant, sql } from '../../../db/db.ts'
import type { Context, MutationContext } from '../../../gateway/context.ts'
import { newId } from '../../../lib/ids.ts'
import { changeableColumns, upsertOf } from '../../../schema/changes/row-update.ts'
import { defineTable } from '../../../schema/tables/table.ts'
import { integrationNamed } from '../registry.ts'
import {
  type ConnectionRow,
  connectionEtag,
  IntegrationConnection,
  POLL_INTERVAL_SECONDS,
} from './connection.ts'

export const CONNECTION = defineTable<ConnectionRow>()('SystemConnection', {
  alias: 'c',
  noun: 'integration',
  type: IntegrationConnection,
  argument: 'name',
  description: 'The `id` of the integration, in lower case.',
  not_found: 'unknown_integration',
  title: ({ name }) => integrationNamed(name)?.label ?? name,
  etag: connectionEtag,
  constant: ['name'],
  recorded: ({ secrets, settings, secret_names, poll_interval_seconds }) => ({
    connected: secrets !== null,
    settings,
    secret_names,
    poll_interval_seconds,
  }),
  // There is no row before the first connection.
  write: upsertOf('SystemConnection', {
    key: ['name'],
    columns: changeableColumns('SystemConnection', ['name']),
  }),
})

/** A connection of which nothing is stored yet. */
const blank = (now: Date, name: string): ConnectionRow => ({
  name,
  connection_id: newId('con'),
  settings: {},
  secret_names: [],
  secrets: null,
  ingest_secret: null,
  poll_interval_seconds: POLL_INTERVAL_SECONDS,
  connected_at: now,
  webhooks_registered_at: null,
  refusals: 0,
  failing_since: null,
  revision: 1,
  updated_at: null,
  updated_by_name: null,
})

export const readConnection = async (
  ctx: DatabaseContext & { now: Date },
  name: string,
): Promise<ConnectionRow> => (await CONNECTION.find(ctx, name)) ?? blank(ctx.now, name)

/** The connection, locked until the transaction ends. */
export async function lockConnection(ctx: Context, name: string): Promise<ConnectionRow> {
  return (await CONNECTION.lockIfThere(ctx, name)) ?? blank(ctx.now, name)
}

/** The tenant's lock of changes of connections: two PSAs that are connected at once would both stay. */
export const CONNECTIONS = 'connections'

/** Lists show it as connected, and nothing is known of its health yet. */
export async function markConnected(ctx: MutationContext, name: string): Promise<void> {
  const data = { connected: true, health: 'UNKNOWN', health_message: null, updated_at: ctx.now } as const
  const { count } = await db(ctx).integrationConnection.updateMany({ where: { name }, data })
  if (count === 0) await db(ctx).integrationConnection.create({ data: { ...ownKey(ctx, { name }), ...data } })
}

/**
 * Deletes the credentials of the integrations, and shows them as not connected; those of `shown`, if they were connected
 * without credentials too. The names of those that were connected.
 */
export async function disconnect(
  ctx: MutationContext,
  { names, shown, by }: { names: readonly string[]; shown: readonly string[]; by: string },
): Promise<string[]> {
  const { now: updated_at } = ctx
  const gone = await db(ctx).systemConnection.updateManyAndReturn({
    where: { name: { in: [...names] }, secrets: { not: null } },
    data: {
      secrets: null,
      ingest_secret: null,
      secret_names: [],
      webhooks_registered_at: null,
      refusals: 0,
      failing_since: null,
      revision: { increment: 1 },
      updated_at,
      updated_by_name: by,
    },
    select: { name: true },
  })
  const marked = await db(ctx).integrationConnection.updateManyAndReturn({
    where: { connected: true, name: { in: [...shown, ...gone.map(({ name }) => name)] } },
    data: { connected: false, health: 'UNKNOWN', health_message: null, updated_at },
    select: { name: true },
  })
  return [...new Set([...gone, ...marked].map(({ name }) => name))].sort()
}

const PSA_TYPE = ownTenant(
  'integrations.set_psa_type',
  'update tenant set psa_type = $2::text where id = $1 and psa_type is distinct from $2::text',
)

// Contract silent: the tenant has one type of PSA, that of the environment that was connected last.
export const setPsaType = async (ctx: DatabaseContext, system: string): Promise<unknown> =>
  await sql(ctx, PSA_TYPE, [system])
