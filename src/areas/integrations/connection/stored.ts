/** Connections as ports reach systems by them. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OpenedConnection } from '../../../connectors/adapter.ts'
import type { ConnectableSystem } from '../../../connectors/fields.ts'
import { type DatabaseContext, scoped, sql, type Tenancy, tenancyOf } from '../../../db/db.ts'
import { type Sql, statement } from '../../../db/sql.ts'
import type { Services } from '../../../gateway/context.ts'
import { batches } from '../../../lib/batches.ts'
import { CannotDecrypt, type SecretBox } from '../../../lib/secret-box.ts'
import type { Row } from '../../../schema/models.ts'
import { decryptSecrets, placeOf, type Secrets } from '../credentials.ts'
import { integrationNamed, integrationOf, REGISTRY } from '../registry.ts'
import { exchangeOf, noExchange } from './exchange.ts'

interface StoredRow {
  name: string
  connection_id: string
  revision: number
  refusals: number
  failing_since: Date | null
  health: Row<'IntegrationConnection'>['health'] | null
  settings: Secrets
  secret_names: readonly string[]
  secrets: string
}

const FIND = scoped(
  'integrations.find_connection',
  `select c.name, c.connection_id, c.revision, c.refusals, c.failing_since, i.health, c.settings, c.secret_names, c.secrets
   from system_connection c
   left join integration_connection i on i.tenant_id = c.tenant_id and i.environment = c.environment and i.name = c.name
   where c.tenant_id = $1 and c.environment = $2 and c.name = any($3::text[]) and c.secrets is not null
   order by c.name limit 1`,
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
    is_unknown: row.health === 'UNKNOWN',
    is_refused: row.refusals > 0,
    failing_since: row.failing_since,
    secret_names: row.secret_names,
    open: () => ({
      ...openedFrom(box, { ...row, tenant_id, environment }, exchangeOf(ctx, box, row)),
      revision: row.revision,
    }),
  }
}

type SecretsRow = Pick<StoredRow, 'name' | 'connection_id' | 'settings' | 'secrets'>

/** The connection with its secrets in clear. */
export function openedFrom(
  box: SecretBox,
  row: SecretsRow & Tenancy,
  exchange: OpenedConnection['exchange'] = noExchange,
): OpenedConnection {
  const { tenant_id, environment, name, connection_id, settings, secrets } = row
  const decrypted = decryptSecrets(box, { tenant_id, environment, name }, secrets)
  return {
    connection_id,
    tenant_id,
    environment,
    settings: { ...settings, ...decrypted } as unknown as OpenedConnection['settings'],
    exchange,
  }
}

interface IngestRow extends SecretsRow, Tenancy {
  ingest_secret: string
}

const OF_EVENTS = statement(
  'integrations.connection_of_events',
  `select tenant_id, environment, name, connection_id, settings, secrets, ingest_secret from system_connection
   where connection_id = $1 and environment = $2 and secrets is not null and ingest_secret is not null`,
)

interface Lookup {
  row: IngestRow | undefined
}

const MOST = 1000

/** Looks connections up: requests for one that come while it is looked up share the next look. */
const lookingUp = (sql: Sql) =>
  batches<Lookup>(MOST, async (key, lookups) => {
    const [row] = await sql.rows<IngestRow>(OF_EVENTS, JSON.parse(key))
    for (const lookup of lookups) lookup.row = row
  })

const looks = new WeakMap<Sql, ReturnType<typeof lookingUp>>()

async function rowOfEvents(
  sql: Sql,
  connection_id: string,
  environment: string,
): Promise<IngestRow | undefined> {
  const look = looks.get(sql) ?? lookingUp(sql)
  looks.set(sql, look)
  const lookup: Lookup = { row: undefined }
  await look(JSON.stringify([connection_id, environment]), lookup)
  return lookup.row
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** A value that no stored secret has. */
const NO_SECRET = randomBytes(32).toString('base64url')

/** A connection that events come for. */
export interface EventsConnection extends Tenancy {
  connection_id: string
  system: ConnectableSystem
  /** The connection with its secrets in clear. */
  opened: OpenedConnection
}

/** The secrets of the row in clear; null if the key that encrypted them is not configured. */
function secretsOf(
  box: SecretBox,
  row: IngestRow,
): { ingest_secret: string; opened: OpenedConnection } | null {
  try {
    const ingest_secret = box.decrypt(row.ingest_secret, placeOf(row, 'ingest_secret'))
    return { ingest_secret, opened: openedFrom(box, row) }
  } catch (error) {
    if (error instanceof CannotDecrypt) return null
    throw error
  }
}

/**
 * The connection whose address has the id and the secret; null if there is none, if it was disconnected, or if its secrets cannot
 * be decrypted.
 */
export async function connectionOfEvents(
  { database, environment, secret_box: box }: Pick<Services, 'database' | 'environment' | 'secret_box'>,
  connection_id: string,
  secret: string,
): Promise<EventsConnection | null> {
  const row = await rowOfEvents(database.sql, connection_id, environment)
  const stored = row ? secretsOf(box, row) : null
  const is_right = timingSafeEqual(digestOf(stored?.ingest_secret ?? NO_SECRET), digestOf(secret))
  if (!row || !stored || !is_right) return null
  return {
    tenant_id: row.tenant_id,
    environment: row.environment,
    connection_id,
    system: integrationNamed(row.name)?.system as ConnectableSystem,
    opened: stored.opened,
  }
}

/** The systems that can be called, for the SQL of other areas. */
export const CALLED_SYSTEMS =
  '(select tenant_id, environment, name, connection_id from system_connection where secrets is not null)'

const PSAS = `(${REGISTRY.filter(({ category }) => category === 'PSA')
  .map(({ name }) => `'${name}'`)
  .join(', ')})`

/** The key of the service’s own PSA. */
export const OWN_PSA = 'LOCAL'

/**
 * The key of the system that the row `s` of connections leads to: another one, once its settings name another system. Connected
 * again, a system has its key again.
 */
const SYSTEM_KEY = `(s.connection_id || ' ' || left(encode(sha256(convert_to((s.settings - 'client_id')::text, 'UTF8')), 'hex'), 22))`

/** The key of the system that the connection of this id leads to, for the SQL of other areas; null: there is no connection. */
export const systemKeyOf = (connection_id: string): string => `(
    select ${SYSTEM_KEY} from system_connection s
    where s.tenant_id = $1 and s.environment = $2 and s.connection_id = ${connection_id}
  )`

/** The key of the PSA of the tenant `$1` in the environment `$2` at present, for the SQL of other areas. */
export const PRESENT_PSA = `coalesce((
    select ${SYSTEM_KEY} from system_connection s
    where s.tenant_id = $1 and s.environment = $2 and s.secrets is not null and s.name in ${PSAS}
    order by s.name limit 1
  ), '${OWN_PSA}')`

/** The connections to PSAs that are asked for what changed, for the SQL of other areas. */
export const POLLED_CONNECTIONS = `(
    select tenant_id, environment, name, connection_id, poll_interval_seconds, connected_at from system_connection
    where secrets is not null and poll_interval_seconds > 0 and name in ${PSAS}
  )`
