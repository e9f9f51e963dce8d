/** Tells of the keys that expire soon: of each once. */
import { randomUUID } from 'node:crypto'
import { scoped, sql, type Tenancy } from '../../db/db.ts'
import { raise } from '../../db/live/raise.ts'
import { statement } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { LoopContext } from '../../jobs/loop.ts'
import { serviceContext } from '../../jobs/service-context.ts'
import type { ApiKeyRow } from './api-key.ts'
import { expiring } from './events.ts'
import { EXPIRING_DAYS } from './rules.ts'

// Contract silent: a key that was rotated or revoked, or that has expired, needs no warning.
const isDue = (
  now: string,
): string => `k.expiry_told_at is null and k.sunset_at is null and k.revoked_at is null
     and k.expires_at > ${now}::timestamptz and k.expires_at <= ${now}::timestamptz + interval '${EXPIRING_DAYS} days'`

const TENANTS = statement(
  'api_keys.tenants_with_expiring',
  `select distinct k.tenant_id from api_key k
   where k.environment = $2 and ($3::text is null or k.tenant_id = $3) and ${isDue('$1')}`,
)

// A second process that waits for the rows finds that they have been told of.
const TELL = scoped(
  'api_keys.tell_of_expiry',
  `update api_key k set expiry_told_at = $3
   where k.tenant_id = $1 and k.environment = $2 and ${isDue('$3')}
   returning k.id, k.name, k.expires_at, k.replaced_by_key_id`,
)

type Told = Pick<ApiKeyRow, 'id' | 'name' | 'expires_at' | 'replaced_by_key_id'>

const TELL_MS = 10_000

interface Options {
  /** Only the keys of this tenant. */
  tenant_id?: string | null
}

/** Raises `api_key.expiring` for the keys that are due. Safe to run concurrently. */
export async function tellOfExpiry(
  { services, now, log, signal }: LoopContext,
  { tenant_id: only = null }: Options = {},
): Promise<void> {
  const { environment, database } = services
  const tenants = await database.sql.rows<Pick<Tenancy, 'tenant_id'>>(TENANTS, [now, environment, only])
  for (const { tenant_id } of tenants) {
    if (signal.aborted) return
    const ctx = serviceContext(services, 'api-keys.expiring', randomUUID(), { tenant_id, environment })
    try {
      await inTransaction(ctx, TELL_MS, async () =>
        raise(ctx, (await sql<Told>(ctx, TELL, [now])).map(expiring)),
      )
    } catch (error) {
      log.error({ err: error, tenant_id }, 'the expiry of API keys could not be told')
    }
  }
}
