/** Decides whether agents work for a company. */
import type { Psa, PsaCompany } from '../../connectors/psa.ts'
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

interface Scope {
  /** null: the service does not know the company. */
  in_scope: boolean | null
  filters: readonly Filter[]
}

/** The filters, with the scope of the company if one is asked for. */
async function readScope(ctx: DatabaseContext, psa_company_id: string | null): Promise<Scope> {
  const [scope] = await sql<Scope>(ctx, SCOPE, [psa_company_id])
  return scope ?? { in_scope: null, filters: [] }
}

// Contract silent: a company that was never synced is in scope if it fits the filters; so is work for no company.
export async function isCompanyInScope(
  ctx: DatabaseContext,
  psa: Pick<Psa, 'company'>,
  psa_company_id: string | null,
): Promise<boolean> {
  if (psa_company_id === null) return true
  const { in_scope, filters } = await readScope(ctx, psa_company_id)
  if (in_scope !== null) return in_scope
  return filters.length === 0 || fits(filters, (await psa.company(psa_company_id))?.attributes ?? {})
}

// Contract silent: a company that the PSA has newly is in scope if it fits the filters; of one that the service knows
// already, only a replacement of the filters widens the scope.
/** Tells whether a company that is new to the service is in scope. */
export async function newInScope(ctx: DatabaseContext): Promise<(company: PsaCompany) => boolean> {
  const { filters } = await readScope(ctx, null)
  return ({ attributes }) => fits(filters, attributes)
}
