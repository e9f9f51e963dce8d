/** The number of links that a company has: a column in lists, and one statement for all rows that came without it. */
import { scoped, sql } from '../../db/db.ts'
import { dataLoader } from '../../schema/lists/data-loader.ts'

const COUNT = `select count(*)::int from company_link l
   where l.tenant_id = $1 and l.environment = $2 and not l.hidden and l.psa_company_id =`

/** SQL of the count, of a row `end_company c`. */
export const LINK_COUNT = `(${COUNT} c.psa_company_id)`

const OF_COMPANIES = scoped(
  'end_companies.link_counts',
  `select wanted.psa_company_id, (${COUNT} wanted.psa_company_id) as link_count
   from unnest($3::text[]) as wanted (psa_company_id)`,
)

/** The number of listed links to the company with this id in the PSA. */
export const linkCountOf = dataLoader<string, number>(async (ctx, ids) => {
  const rows = await sql<{ psa_company_id: string; link_count: number }>(ctx, OF_COMPANIES, [
    [...new Set(ids)],
  ])
  const counts = new Map(rows.map(({ psa_company_id, link_count }) => [psa_company_id, link_count]))
  return ids.map((id) => counts.get(id) ?? 0)
})
