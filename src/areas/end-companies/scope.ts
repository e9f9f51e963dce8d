/** The scope of companies: the company filters decide it. */
import { scoped, scopedInsert, sql } from '../../db/db.ts'
import { recordedWrite, writeRecorded } from '../../gateway/activity.ts'
import type { Context, MutationContext } from '../../gateway/context.ts'
import { newId } from '../../lib/ids.ts'
import { companiesRaised } from './events.ts'

export interface ScopedCompany {
  psa_company_id: string
  name: string
}

const IN_SCOPE = scoped(
  'end_companies.in_scope',
  `select psa_company_id, name from end_company
   where tenant_id = $1 and environment = $2 and in_scope order by sort_name, id`,
)

/** The companies that agents work for, by name. */
export const companiesInScope = (ctx: Context): Promise<ScopedCompany[]> => sql<ScopedCompany>(ctx, IN_SCOPE)

// Companies that were never synced are stored with it. Rows are locked in one order.
const STORE = `insert into end_company (tenant_id, environment, id, psa_company_id, name, status, created_at, updated_at)
   select $1, $2, given.id, given.psa_company_id, given.name, given.status::end_company_status,
     $4::timestamptz, $4::timestamptz
   from jsonb_to_recordset($3::jsonb) as given (id text, psa_company_id text, name text, status text)
   order by given.psa_company_id
   on conflict (tenant_id, environment, psa_company_id) do update
   set in_scope = true, updated_at = excluded.updated_at where not end_company.in_scope
   returning id, psa_company_id, name, status, in_scope, xmax = 0 as is_added`

const RAISE = companiesRaised({ is_new: 'w.is_added', before: { in_scope: 'false' }, from: 'from written w' })

const BRING = {
  ...scopedInsert('end_companies.bring_into_scope', STORE),
  text: `with written as (${STORE}) ${RAISE}`,
}

/** Lets agents work for these companies of the PSA. */
export async function bringIntoScope(
  ctx: MutationContext,
  companies: readonly (ScopedCompany & { is_active: boolean })[],
): Promise<void> {
  if (companies.length === 0) return
  const rows = companies.map(({ psa_company_id, name, is_active }) => ({
    id: newId('cmp'),
    psa_company_id,
    name,
    status: is_active ? 'ACTIVE' : 'INACTIVE',
  }))
  await sql(ctx, BRING, [JSON.stringify(rows), ctx.now])
}

const TAKE = recordedWrite(
  'end_companies.take_out_of_scope',
  `update end_company set in_scope = false, updated_at = $4::timestamptz
   where tenant_id = $1 and environment = $2 and psa_company_id = any($3::text[]) and in_scope
   returning id, psa_company_id, name, status, in_scope`,
  { also: companiesRaised({ is_new: 'false', before: { in_scope: 'true' }, from: 'from written w' }) },
)

/** Ends the work of agents for these companies, and records it. */
export async function takeOutOfScope(
  ctx: MutationContext,
  companies: readonly ScopedCompany[],
): Promise<void> {
  const ids = companies.map(({ psa_company_id }) => psa_company_id)
  await writeRecorded(
    ctx,
    TAKE,
    [ids, ctx.now],
    {
      action: 'company_filters.unmatched_removed',
      targets: [{ type: 'company_filters', id: 'company_filters', name: 'Company filters' }],
      after: { removed: { companies, count: companies.length } },
    },
    { last: true },
  )
}
