/** The titles of requests, for other areas. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'

interface Titled {
  id: string
  title: string
}

const TITLES = scoped(
  'til_requests.titles',
  `select r.id, r.title from til_request r
   where r.tenant_id = $1 and r.environment = $2 and r.id = any($3::text[])`,
)

export const titlesOf = (ctx: DatabaseContext, ids: readonly string[]): Promise<Titled[]> =>
  sql<Titled>(ctx, TITLES, [ids])
