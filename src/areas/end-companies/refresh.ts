/** The end companies as they are read from the PSA. */
import type { PsaCompany, PsaDirectoryCompany } from '../../connectors/psa.ts'
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { unreadMarker } from '../../db/query/missing.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { newId } from '../../lib/ids.ts'
import { companiesRaised } from './events.ts'

/** The rows of a directory that were new, and those that differed from what was stored. */
export interface Refreshed {
  added: number
  changed: number
}

// Rows are locked in one order, and compared before they are written: the insert asks for their count first. A company that is known keeps its scope, and its domains if none are given.
const REFRESH = scoped(
  'end_companies.refresh',
  `with given as materialized (
     select * from jsonb_to_recordset($3::jsonb) as g (
       id text, psa_company_id text, name text, status end_company_status, domains text[], in_scope boolean)
   ), stored as materialized (
     select c.psa_company_id, c.domains, c.name, c.status, (c.name, c.status, coalesce(c.domains, '{}'), c.missing_since)
       is distinct from (g.name, g.status, coalesce(g.domains, c.domains, '{}'), null::timestamptz) as differs
     from given g join end_company c on c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = g.psa_company_id
     order by c.psa_company_id for update of c
   ), written as (
     insert into end_company
       (tenant_id, environment, id, psa_company_id, name, status, domains, in_scope, last_synced_at, created_at, updated_at)
     select $1, $2, g.id, g.psa_company_id, g.name, g.status, coalesce(g.domains, s.domains, '{}'), g.in_scope,
       $4::timestamptz, $4::timestamptz, $4::timestamptz
     from given g left join stored s using (psa_company_id)
     where (select count(*) from stored) >= 0 order by g.psa_company_id
     on conflict (tenant_id, environment, psa_company_id) do update
     set name = excluded.name, status = excluded.status, domains = excluded.domains,
       last_synced_at = excluded.last_synced_at, missing_since = null,
       updated_at = case when (end_company.name, end_company.status, coalesce(end_company.domains, '{}'))
         is distinct from (excluded.name, excluded.status, excluded.domains)
         then excluded.updated_at else end_company.updated_at end
     returning id, psa_company_id, name, status, in_scope, xmax = 0 as is_added
   ), raised as (
     ${companiesRaised({
       is_new: 'w.is_added',
       // A company that was stored meanwhile is told of by whoever stored it.
       before: { name: 'coalesce(s.name, w.name)', status: 'coalesce(s.status, w.status)' },
       from: 'from written w left join stored s using (psa_company_id)',
     })}
   )
   select count(*) filter (where s.psa_company_id is null)::int as added, count(*) filter (where s.differs)::int as changed
   from written w left join stored s using (psa_company_id)`,
)

/** Stores companies as the PSA has them now. `isInScope` decides for those that are new. */
export async function refreshCompanies(
  ctx: MutationContext,
  companies: readonly PsaDirectoryCompany[],
  isInScope: (company: PsaDirectoryCompany) => boolean,
): Promise<Refreshed> {
  const rows = companies.map((company) => ({
    id: newId('cmp'),
    psa_company_id: company.psa_company_id,
    name: company.name,
    status: company.is_active ? 'ACTIVE' : 'INACTIVE',
    domains: company.domains,
    in_scope: isInScope(company),
  }))
  const [counts] = await sql<Refreshed>(ctx, REFRESH, [JSON.stringify(rows), ctx.now])
  return counts ?? { added: 0, changed: 0 }
}

// A company that the PSA loses after the company became INACTIVE is gone too, and was counted before.
export const markMissingCompanies = unreadMarker('end_companies.mark_missing', 'end_company', {
  present: 'missing_since is null',
  counted: "status = 'ACTIVE'",
  set: "status = 'INACTIVE', missing_since = $3::timestamptz",
  raises: companiesRaised({
    is_new: 'false',
    before: { status: 'b.status' },
    from: 'from marked w join end_company b on b.tenant_id = $1 and b.environment = $2 and b.id = w.id',
  }),
})

const REFRESH_ONE = scoped(
  'end_companies.refresh_one',
  `with before as materialized (
     select c.id, c.name, c.status, (c.name, c.status, c.missing_since)
       is distinct from ($4::text, $5::text::end_company_status, null::timestamptz) as differs
     from end_company c where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = $3::text for update
   ), refreshed as (
     update end_company c set name = $4::text, status = $5::text::end_company_status, missing_since = null,
       last_synced_at = $6::timestamptz, updated_at = $6::timestamptz
     from before b where c.tenant_id = $1 and c.environment = $2 and c.id = b.id
     returning c.id, c.psa_company_id, c.name, c.status, c.in_scope
   ), raised as (
     ${companiesRaised({
       is_new: 'false',
       before: { name: 'b.name', status: 'b.status' },
       from: 'from refreshed w join before b using (id)',
     })}
   )
   select differs from before`,
)

// Contract silent: a company that was never synced comes by a sync, which knows whether it is in scope.
/** Stores a company as the PSA has it now. True if it differed from what was known. */
export async function refreshCompany(
  ctx: DatabaseContext & { now: Date },
  { psa_company_id, name, is_active }: PsaCompany,
): Promise<boolean> {
  const values = [psa_company_id, name, is_active ? 'ACTIVE' : 'INACTIVE', ctx.now]
  const [row] = await sql<{ differs: boolean }>(ctx, REFRESH_ONE, values)
  return row?.differs ?? false
}
