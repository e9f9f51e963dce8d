/** Decides whether agents work for a company. */
import type { Psa } from '../../connectors/psa.ts'
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { type Filter, fits } from './rules.ts'

const SCOPE = scoped(
  'company_filters.scope_of',
  `select (
     select c.in_scope from end_company c
     where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = $3::text
   ) as in_scope, coalesce((
     select f.filters from company_filters f where f.tenant_id = $1 and f.environment = $2
   ), '[]') as filters`,
)

// Contract silent: a company that was never synced is in scope if it fits the filters; so is work for no company.
export async function isCompanyInScope(
  ctx: DatabaseContext,
  psa: Pick<Psa, 'company'>,
  psa_company_id: string | null,
): Promise<boolean> {
  if (psa_company_id === null) return true
  const [scope] = await sql<{ in_scope: boolean | null; filters: Filter[] }>(ctx, SCOPE, [psa_company_id])
  const { in_scope = null, filters = [] } = scope ?? {}
  if (in_scope !== null) return in_scope
  return filters.length === 0 || fits(filters, (await psa.company(psa_company_id))?.attributes ?? {})
}
