/** The rows by which commits know that somebody follows the changes of their tenant and environment. */

import { type Sql, statement } from '../sql.ts'
import type { Tenancy } from '../tenancy/context.ts'

export interface FollowerRow extends Tenancy {
  id: string
}

/** The time after which a row that is not renewed counts no more. */
const EXPIRY_SECONDS = 60
/** The interval at which a process renews its rows. */
export const RENEW_MS = 15_000

const ROWS = 'unnest($1::text[], $2::text[], $3::text[]) as f (tenant_id, environment, id)'

const KEEP = statement(
  'live_followers.keep',
  `insert into live_follower (tenant_id, environment, id, expires_at)
   select f.tenant_id, f.environment, f.id, now() + interval '${EXPIRY_SECONDS} seconds' from ${ROWS}
   on conflict (tenant_id, environment, id) do update set expires_at = excluded.expires_at`,
)

const REMOVE = statement(
  'live_followers.remove',
  `delete from live_follower r using ${ROWS}
   where (r.tenant_id, r.environment, r.id) = (f.tenant_id, f.environment, f.id)`,
)

const valuesOf = (rows: readonly FollowerRow[]): string[][] => [
  rows.map(({ tenant_id }) => tenant_id),
  rows.map(({ environment }) => environment),
  rows.map(({ id }) => id),
]

/** Inserts the rows, or renews them. */
export async function keepFollowers(sql: Sql, rows: readonly FollowerRow[]): Promise<void> {
  if (rows.length > 0) await sql.rows(KEEP, valuesOf(rows))
}

export async function removeFollowers(sql: Sql, rows: readonly FollowerRow[]): Promise<void> {
  if (rows.length > 0) await sql.rows(REMOVE, valuesOf(rows))
}
