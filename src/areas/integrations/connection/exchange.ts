/** Secrets that a system replaces when they are used. Processes use such a secret one after another. */
import type { Exchanged, OpenedConnection } from '../../../connectors/adapter.ts'
import { PortUnavailable } from '../../../connectors/port.ts'
import { type DatabaseContext, scoped, sql, tenancyOf } from '../../../db/db.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import { withTimeout } from '../../../lib/timeout.ts'
import { decryptSecrets, encryptSecrets } from '../credentials.ts'

const LOCK = scoped(
  'integrations.lock_secrets',
  `select c.secrets from system_connection c
   where c.tenant_id = $1 and c.environment = $2 and c.name = $3::text and c.connection_id = $4::text
     and c.revision = $5::int and c.secrets is not null
   for update`,
)

const REPLACE = scoped(
  'integrations.replace_secret',
  `update system_connection c set secrets = $4::text
   where c.tenant_id = $1 and c.environment = $2 and c.name = $3::text`,
)

/** The time that the system has for its answer. */
const USE_MS = 10_000

/** The transaction waits for another process that uses the secret, and then for the system. */
const EXCHANGE_MS = 2 * USE_MS + 2000

interface ExchangeRow {
  name: string
  connection_id: string
  revision: number
}

/** Exchanges secrets of a connection that nobody has changed. The transaction stays open while the system answers. */
export const exchangeOf = (
  ctx: DatabaseContext,
  box: SecretBox,
  { name, connection_id, revision }: ExchangeRow,
): OpenedConnection['exchange'] =>
  async function exchange<Result>(secret: string, use: (value: string) => Promise<Exchanged<Result>>) {
    // The new secret must stay even if the caller's transaction is rolled back.
    if (ctx.transaction) throw new Error('A secret is exchanged outside of transactions')
    const { tenant_id, environment } = tenancyOf(ctx)
    const place = { tenant_id, environment, name }
    const own: DatabaseContext = { ...ctx, transaction: null, external_reads: null }
    return await inTransaction(own, EXCHANGE_MS, async () => {
      const [row] = await sql<{ secrets: string }>(own, LOCK, [name, connection_id, revision])
      const secrets = row && decryptSecrets(box, place, row.secrets)
      const value = secrets?.[secret]
      if (value === undefined) throw new PortUnavailable('The connection was changed meanwhile')
      const late = () => new PortUnavailable('The system did not answer in time')
      const { result, replaced_by } = await withTimeout(USE_MS, use(value), late)
      if (replaced_by !== null && replaced_by !== value)
        await sql(own, REPLACE, [name, encryptSecrets(box, place, { ...secrets, [secret]: replaced_by })])
      return result
    })
  }

/** The exchange of connections that are opened for calls which replace nothing. */
export const noExchange: OpenedConnection['exchange'] = async () => {
  throw new Error('The connection was not opened for an exchange of secrets')
}
