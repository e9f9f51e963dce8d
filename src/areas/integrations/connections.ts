/** The systems that the tenant has connected. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { REGISTRY } from './registry.ts'

const SYSTEMS: ReadonlyMap<string, string> = new Map(REGISTRY.map(({ name, system }) => [name, system]))

const CONNECTED = scoped(
  'integrations.connected',
  'select name from integration_connection where tenant_id = $1 and environment = $2 and connected',
)

/** True if the integration is connected: an integration by its name, or one of several. */
export const isConnected = (name: string): string => `exists (select from integration_connection i
  where i.tenant_id = $1 and i.environment = $2 and i.connected and i.name = ${name})`

/** True if the system that the SQL names is connected, and starts scripts: NinjaOne does by the sign-in of a user alone. */
export const startsScripts = (
  system: string,
): string => `(${isConnected(`lower(replace(${system}, '_', '-'))`)}
  and not exists (select from system_connection c
    where c.tenant_id = $1 and c.environment = $2 and c.name = 'ninjaone' and ${system} = 'NINJAONE'
      and c.secrets is not null and 'refresh_token' <> all(c.secret_names)))`

export async function connectedSystems(ctx: DatabaseContext): Promise<Set<string>> {
  const rows = await sql<{ name: string }>(ctx, CONNECTED)
  return new Set(rows.flatMap(({ name }) => SYSTEMS.get(name) ?? []))
}
