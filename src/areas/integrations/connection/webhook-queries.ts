/** The SQL of webhooks. */
import { type DatabaseContext, db, ownKey, scoped, scopedInsert, sql } from '../../../db/db.ts'
import { statement } from '../../../db/sql.ts'
import { givenUpWithinDay } from '../../../jobs/dead-letters.ts'
import { newId } from '../../../lib/ids.ts'
import { REGISTER_WEBHOOKS } from './webhook-jobs.ts'

export interface RemovalRow {
  name: string
  connection_id: string
  settings: Readonly<Record<string, string>>
  secrets: string
  ingest_secret: string
}

const RETIRE = scopedInsert(
  'integrations.retire_connections',
  `insert into webhook_removal (tenant_id, environment, id, name, connection_id, settings, secrets, ingest_secret,
     created_at)
   select $1, $2, $4::text || c.connection_id, c.name, c.connection_id, c.settings, c.secrets,
     c.ingest_secret, $5::timestamptz
   from system_connection c
   where c.tenant_id = $1 and c.environment = $2 and c.name = any($3::text[])
     and c.secrets is not null and c.ingest_secret is not null
   returning id`,
)

/** Keeps what it takes to remove the webhooks of the connections, which are about to be given up. Answers with ids. */
export async function retire(
  ctx: DatabaseContext & { now: Date },
  names: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ id: string }>(ctx, RETIRE, [names, newId('whr'), ctx.now])
  return rows.map(({ id }) => id)
}

export async function readRemoval(ctx: DatabaseContext, id: string): Promise<RemovalRow | null> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id }) }
  return (await db(ctx).webhookRemoval.findUnique({ where })) as RemovalRow | null
}

const FORGET = scoped(
  'integrations.forget_removal',
  'delete from webhook_removal r where r.tenant_id = $1 and r.environment = $2 and r.id = $3::text',
)

export const forgetRemoval = async (ctx: DatabaseContext, id: string): Promise<unknown> =>
  await sql(ctx, FORGET, [id])

const REGISTERED = scoped(
  'integrations.webhooks_registered',
  `update system_connection c set webhooks_registered_at = $5::timestamptz
   where c.tenant_id = $1 and c.environment = $2 and c.name = $3::text and c.ingest_secret = $4::text
   returning 1 as stored`,
)

/** Notes that the system sends its events; false if they go to an address that is not the connection's any more. */
export const markRegistered = async (
  ctx: DatabaseContext & { now: Date },
  { name, ingest_secret }: { name: string; ingest_secret: string },
): Promise<boolean> => (await sql(ctx, REGISTERED, [name, ingest_secret, ctx.now])).length > 0

const NOT_PUSHED =
  'The system did not take the address for its events. It is tried again, and the system is asked for what changed.'

// Never replace health DOWN by DEGRADED.
const TELL = scoped(
  'integrations.tell_of_webhooks',
  `update integration_connection i set
     health = (case when $4::boolean then 'HEALTHY' else 'DEGRADED' end)::integration_health,
     health_message = case when $4::boolean then null else $5::text end, updated_at = $6::timestamptz
   where i.tenant_id = $1 and i.environment = $2 and i.name = $3::text and i.connected
     and case when $4::boolean then i.health_message = $5::text
       else i.health <> 'DOWN' and i.health_message is distinct from $5::text end`,
)

/** Shows in the health of the integration whether the system took the address. */
export const tellOfWebhooks = async (
  ctx: DatabaseContext & { now: Date },
  name: string,
  taken: boolean,
): Promise<unknown> => await sql(ctx, TELL, [name, taken, NOT_PUSHED, ctx.now])

// Contract silent: a registration that is given up for its lost workers is tried again after a day.
/** Connections whose system has not agreed to send its events for a day: some systems stop after failures. */
export const UNREGISTERED = statement(
  'integrations.unregistered',
  `select c.tenant_id, c.environment, c.name from system_connection c
   where c.environment = $1 and c.secrets is not null and c.name = any($3::text[])
     and (c.webhooks_registered_at is null or c.webhooks_registered_at < $2::timestamptz - interval '1 day')
     and c.updated_at < $2::timestamptz - interval '10 minutes'
     and (c.tenant_id, c.environment, c.name) not in (${givenUpWithinDay(REGISTER_WEBHOOKS.name)})
   order by c.tenant_id, c.name limit 1000`,
)
