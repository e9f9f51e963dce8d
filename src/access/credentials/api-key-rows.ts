/** API keys as they are stored, with their creators and acting users. */
import DataLoader from 'dataloader'
import type { Sql } from '../../db/sql.ts'
import { statement } from '../../db/sql.ts'
import type { Role } from '../policies/roles.ts'
import type { Channel } from '../viewer.ts'

export interface KeyRow {
  tenant_id: string
  id: string
  name: string
  /** The key's `scopes`, separated by spaces, as are its `allowed_cidrs`. */
  scope_names: string
  networks: string
  acting_user_id: string | null
  allow_acting_user_header: boolean
  channel: Channel | null
  expires_at: Date
  sunset_at: Date | null
  revoked_at: Date | null
  /** True while the key's tenant is suspended. */
  suspended: boolean
  creator_id: string
  /** The user who has the secret of the key, having made it. null: the operator issued it for the channel. */
  maker_id: string | null
  /** null if the creator of the key was deleted. */
  creator_role: Role | null
  user_id: string | null
  user_name: string | null
  user_role: Role | null
}

interface Asked {
  /** In hexadecimal digits. */
  hash: string
  /** The user that the call wants the key to act for; null: the key's own. */
  acting_user_id: string | null
}

const MOST_AT_ONCE = 16

const BY_HASH = `k.key_hash = decode(asked.hash, 'hex')`

/** SQL of the key for each row of `asked`, which has a `place` and an `acting_user_id`; `$3` is the environment. */
const keysOf = (asked: string, found: string = BY_HASH): string =>
  `select asked.place, k.tenant_id, k.id, k.name, array_to_string(k.scopes, ' ') as scope_names,
     array_to_string(k.allowed_cidrs, ' ') as networks, k.acting_user_id, k.allow_acting_user_header,
     k.channel, k.expires_at, k.sunset_at, k.revoked_at, t.suspended_at is not null as suspended,
     k.created_by_user_id as creator_id, case when not k.of_service then k.created_by_user_id end as maker_id, creator.role as creator_role,
     acting.id as user_id, acting.name as user_name, acting.role as user_role
   from (${asked}) asked join api_key k on ${found}
   join tenant t on t.id = k.tenant_id
   left join tenant_user creator on creator.tenant_id = k.tenant_id and creator.environment = k.environment
     and creator.id = k.created_by_user_id
   left join tenant_user acting on acting.tenant_id = k.tenant_id and acting.environment = k.environment
     and acting.id = coalesce(asked.acting_user_id, k.acting_user_id)
   where k.environment = $3`

const ONE = statement(
  'api_key_by_hash',
  keysOf('select 1 as place, $1::text as hash, $2::text as acting_user_id'),
)

// PostgreSQL knows the number of rows of generate_series and keeps one plan. It would plan each call for an array.
const SEVERAL = statement(
  'api_keys_by_hash',
  keysOf(
    `select place, ($1::text[])[place] as hash, ($2::text[])[place] as acting_user_id
     from generate_series(1, ${MOST_AT_ONCE}) place`,
  ),
)

/**
 * A data loader of keys: one statement for all requests of one turn of the event loop. A request never joins a
 * statement that has started, so it sees each key as it is when the request arrives, or later.
 */
export function keyRows(sql: Sql, environment: string): (asked: Asked) => Promise<KeyRow | null> {
  const loader = new DataLoader<Asked, KeyRow | null>(
    async (asked) => {
      const [first] = asked
      const rows =
        first && asked.length === 1
          ? await sql.rows<KeyRow & { place: number }>(ONE, [first.hash, first.acting_user_id, environment])
          : await sql.rows<KeyRow & { place: number }>(SEVERAL, [
              asked.map(({ hash }) => hash),
              asked.map(({ acting_user_id }) => acting_user_id),
              environment,
            ])
      const found = new Array<KeyRow | null>(asked.length).fill(null)
      for (const row of rows) found[row.place - 1] = row
      return found
    },
    { cache: false, maxBatchSize: MOST_AT_ONCE, batchScheduleFn: setImmediate },
  )
  return (asked) => loader.load(asked)
}

const BY_ID = statement(
  'api_key_by_id',
  keysOf(
    'select 1 as place, $1::text as tenant_id, $2::text as id, $4::text as acting_user_id',
    'k.tenant_id = asked.tenant_id and k.id = asked.id',
  ),
)

/** The key of the tenant, with the user that it acts for. */
export async function keyById(
  sql: Sql,
  { tenant_id, environment, id }: { tenant_id: string; environment: string; id: string },
  acting_user_id: string | null,
): Promise<KeyRow | null> {
  const [row] = await sql.rows<KeyRow>(BY_ID, [tenant_id, id, environment, acting_user_id])
  return row ?? null
}
