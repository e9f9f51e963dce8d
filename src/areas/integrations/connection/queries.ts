/** The SQL of connections. */
import { type DatabaseContext, ownTenant, scoped, scopedInsert, sql } from '../../../db/db.ts'
import type { Values } from './rules.ts'

export interface ConnectionRow {
  name: string
  connection_id: string
  settings: Values
  secret_names: readonly string[]
  /** Encrypted. null: it is disconnected. */
  secrets: string | null
  ingest_secret: string | null
  poll_interval_seconds: number
  connected_at: Date
  webhooks_registered_at: Date | null
  revision: number
  updated_at: Date
  updated_by_name: string
}

const COLUMNS = `name, connection_id, settings, secret_names, secrets, ingest_secret, poll_interval_seconds, connected_at,
  webhooks_registered_at, revision, updated_at, updated_by_name`

const ONE = `select ${COLUMNS} from system_connection
  where tenant_id = $1 and environment = $2 and name = $3::text`

const READ = scoped('integrations.connection', ONE)
const LOCK = scoped('integrations.lock_connection', `${ONE} for update`)

export const readConnection = async (ctx: DatabaseContext, name: string): Promise<ConnectionRow | null> =>
  (await sql<ConnectionRow>(ctx, READ, [name]))[0] ?? null

/** The row, locked until the transaction ends. */
export const lockConnection = async (ctx: DatabaseContext, name: string): Promise<ConnectionRow | null> =>
  (await sql<ConnectionRow>(ctx, LOCK, [name]))[0] ?? null

// The first one that is stored has revision 2: before it there is none, which has revision 1.
const STORE = scopedInsert(
  'integrations.store_connection',
  `insert into system_connection (tenant_id, environment, name, connection_id, settings, secret_names, secrets,
     ingest_secret, poll_interval_seconds, connected_at, webhooks_registered_at, revision, updated_at, updated_by_name)
   values ($1, $2, $3::text, $4::text, $5::jsonb, $6::text[], $7::text, $8::text, $9::int, $10::timestamptz,
     $11::timestamptz, 2, $12::timestamptz, $13::text)
   on conflict (tenant_id, environment, name) do update set settings = excluded.settings,
     secret_names = excluded.secret_names, secrets = excluded.secrets, ingest_secret = excluded.ingest_secret,
     poll_interval_seconds = excluded.poll_interval_seconds, connected_at = excluded.connected_at,
     webhooks_registered_at = excluded.webhooks_registered_at, revision = system_connection.revision + 1,
     updated_at = excluded.updated_at, updated_by_name = excluded.updated_by_name
   returning ${COLUMNS}`,
)

/** Stores the row with its next revision. */
export async function storeConnection(
  ctx: DatabaseContext,
  row: Omit<ConnectionRow, 'revision'>,
): Promise<ConnectionRow> {
  const settings = JSON.stringify(row.settings)
  const credentials = [row.secret_names, row.secrets, row.ingest_secret]
  const times = [row.poll_interval_seconds, row.connected_at, row.webhooks_registered_at]
  const values = [
    row.name,
    row.connection_id,
    settings,
    ...credentials,
    ...times,
    row.updated_at,
    row.updated_by_name,
  ]
  const [stored] = await sql<ConnectionRow>(ctx, STORE, values)
  if (!stored) throw new Error('A connection was not stored')
  return stored
}

const MARK = scopedInsert(
  'integrations.mark_connected',
  `insert into integration_connection (tenant_id, environment, name, connected, updated_at)
   values ($1, $2, $3::text, true, $4::timestamptz)
   on conflict (tenant_id, environment, name) do update set connected = true, health = 'UNKNOWN',
     health_message = null, updated_at = excluded.updated_at`,
)

/** Lists show it as connected, and nothing is known of its health yet. */
export const markConnected = async (ctx: DatabaseContext & { now: Date }, name: string): Promise<unknown> =>
  await sql(ctx, MARK, [name, ctx.now])

const DISCONNECT = scoped(
  'integrations.disconnect',
  `with gone as (
     update system_connection set secrets = null, ingest_secret = null, secret_names = '{}', webhooks_registered_at = null,
       revision = revision + 1,
       updated_at = $5::timestamptz, updated_by_name = $6::text
     where tenant_id = $1 and environment = $2 and name = any($3::text[]) and secrets is not null
     returning name
   ), marked as (
     update integration_connection set connected = false, health = 'UNKNOWN', health_message = null,
       updated_at = $5::timestamptz
     where tenant_id = $1 and environment = $2 and connected
       and (name = any($4::text[]) or name in (select name from gone))
     returning name
   )
   select name from gone union select name from marked order by name`,
)

/**
 * Deletes the credentials of the integrations, and shows them as not connected; those of `shown`, if they were connected
 * without credentials too. The names of those that were connected.
 */
export async function disconnect(
  ctx: DatabaseContext & { now: Date },
  { names, shown, by }: { names: readonly string[]; shown: readonly string[]; by: string },
): Promise<string[]> {
  const rows = await sql<{ name: string }>(ctx, DISCONNECT, [names, shown, ctx.now, by])
  return rows.map(({ name }) => name)
}

const PSA_TYPE = ownTenant(
  'integrations.set_psa_type',
  'update tenant set psa_type = $2::text where id = $1 and psa_type is distinct from $2::text',
)

// Contract silent: the tenant has one type of PSA, that of the environment that was connected last.
export const setPsaType = async (ctx: DatabaseContext, system: string): Promise<unknown> =>
  await sql(ctx, PSA_TYPE, [system])

const SET_HEALTH = scoped(
  'integrations.set_health',
  `update integration_connection set health = $4::text::integration_health, health_message = $5::text,
     updated_at = $6::timestamptz
   where tenant_id = $1 and environment = $2 and name = $3::text
   returning *`,
)

export const setHealth = async (
  ctx: DatabaseContext & { now: Date },
  name: string,
  { health, message }: { health: 'HEALTHY' | 'DOWN'; message: string | null },
): Promise<unknown> => await sql(ctx, SET_HEALTH, [name, health, message, ctx.now])
