/** The links of each company of a list. */
import { scoped, sql } from '../../db/db.ts'
import { dataLoader } from '../../schema/data-loader.ts'
import { COLUMNS, type Link } from './company-link.ts'

/** Where a company's links start, and how many there may be. */
interface Wanted {
  psa_company_id: string
  limit: number
  after: readonly unknown[] | null
}

interface CompanyLinkRow extends Link {
  sort_name: string
  place: number
}

const FIRST = ['', '', '']

const LINKS = scoped(
  'company_links.of_companies',
  `select links.*, wanted.place::int as place
   from unnest($3::text[], $4::int[], $5::text[], $6::text[], $7::text[]) with ordinality
     as wanted (psa_company_id, size, system, sort_name, external_id, place)
   cross join lateral (
     select ${COLUMNS}, l.sort_name from company_link l
     where l.tenant_id = $1 and l.environment = $2
       and l.psa_company_id = wanted.psa_company_id and not l.hidden
       and (l.system, l.sort_name, l.external_id) > (wanted.system, wanted.sort_name, wanted.external_id)
     order by l.system, l.sort_name, l.external_id
     limit wanted.size
   ) links
   order by wanted.place, links.system, links.sort_name, links.external_id`,
)

/** A company's links that are listed, by integration, then as that integration's list has them. */
export const linksOf = dataLoader<Wanted, CompanyLinkRow[]>(async (ctx, wanted) => {
  const keys = wanted.map(({ after }) => after ?? FIRST)
  const rows = await sql<CompanyLinkRow>(ctx, LINKS, [
    wanted.map(({ psa_company_id }) => psa_company_id),
    wanted.map(({ limit }) => limit),
    ...[0, 1, 2].map((column) => keys.map((key) => key[column])),
  ])
  const byPlace = Map.groupBy(rows, ({ place }) => place)
  return wanted.map((_, index) => byPlace.get(index + 1) ?? [])
})
