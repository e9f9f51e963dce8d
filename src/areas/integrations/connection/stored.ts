/** Connections as ports reach systems by them. */

import type { OpenedConnection } from '../../../connectors/adapter.ts'
import type { ConnectableSystem } from '../../../connectors/fields.ts'
import { type DatabaseContext, scoped, sql, tenancyOf } from '../../../db/db.ts'
import { statement } from '../../../db/sql.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import { decryptSecrets, type Secrets } from '../credentials.ts'
import { integrationNamed, integrationOf } from '../registry.ts'

interface StoredRow {
  name: string
  connection_id: string
  revision: number
  settings: Secrets
  secrets: string
}

const FIND = scoped(
  'integrations.find_connection',
  `select name, connection_id, revision, settings, secrets from system_connection
   where tenant_id = $1 and environment = $2 and name = any($3::text[]) and secrets is not null
   order by name limit 1`,
)

/** The tenant's connection to one of the systems, whose secrets `open` decrypts; null if it has none. */
export async function findConnection(
  ctx: DatabaseContext,
  box: SecretBox,
  systems: readonly ConnectableSystem[],
) {
  const names = systems.map((system) => integrationOf(system).name)
  const [row] = await sql<StoredRow>(ctx, FIND, [names])
  if (!row) return null
  const { tenant_id, environment } = tenancyOf(ctx)
  return {
    system: integrationNamed(row.name)?.system as ConnectableSystem,
    connection_id: row.connection_id,
    revision: row.revision,
    open: () => openedFrom(box, { ...row, tenant_id, environment }),
  }
}

/** The connection with its secrets in clear. */
export function openedFrom(
  box: SecretBox,
  row: Omit<StoredRow, 'revision'> & { tenant_id: string; environment: string },
): OpenedConnection {
  const { tenant_id, environment, name, connection_id, settings, secrets } = row
  const decrypted = decryptSecrets(box, { tenant_id, environment, name }, secrets)
  return {
    connection_id,
    tenant_id,
    environment,
    settings: { ...settings, ...decrypted } as unknown as OpenedConnection['settings'],
  }
}

export const REFUSED_CREDENTIALS = 'The system does not accept the credentials.'

/** Of a connection that is still the one that was refused. */
export const MARK_REFUSED = statement(
  'integrations.mark_refused',
  `update integration_connection i set health = 'DOWN', health_message = $3, updated_at = $4
   from system_connection c
   where c.connection_id = $1 and c.revision = $2 and c.secrets is not null
     and i.tenant_id = c.tenant_id and i.environment = c.environment and i.name = c.name
     and (i.health, i.health_message) is distinct from ('DOWN', $3)`,
)
