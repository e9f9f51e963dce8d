/** The SQL of company filters, and the data of the PSA that they need. */
import { requireTenantRow } from '../../access/credentials/credential.ts'
import { type Psa, psaOf } from '../../connectors/psa.ts'
import { scoped, sql, tenancyOf } from '../../db/db.ts'
import { lockTenant } from '../../db/transaction.ts'
import type { Context } from '../../gateway/context.ts'
import { defineResource } from '../../schema/changes/change.ts'
import { upsertOf } from '../../schema/changes/row-update.ts'
import { companiesInScope } from '../end-companies/index.ts'
import { liveTicketIds } from '../executions/index.ts'
import { tenantWith } from '../tenant/index.ts'
import { type Filters, type FiltersRow, filtersEtag } from './company-filters.ts'
import { removableFrom } from './rules.ts'

const READ = scoped(
  'company_filters.read',
  `select t.psa_type, coalesce(f.filters, '[]') as filters, coalesce(f.revision, 1) as revision,
     coalesce(f.updated_at, t.created_at) as updated_at
   ${tenantWith('company_filters', 'f')}`,
)

const readRow = async (ctx: Context): Promise<FiltersRow> =>
  requireTenantRow((await sql<FiltersRow>(ctx, READ))[0])

type Companies = Awaited<ReturnType<Psa['companies']>>

/** The filters with the companies in scope that do not fit, among the PSA's companies. */
async function withRemovable(ctx: Context, row: FiltersRow, companies: Companies): Promise<Filters> {
  return { ...row, removable: removableFrom(row.filters, companies, await companiesInScope(ctx)) }
}

export async function readFilters(ctx: Context): Promise<Filters> {
  const [row, companies] = await Promise.all([readRow(ctx), psaOf(ctx).companies()])
  return await withRemovable(ctx, row, companies)
}

/** The filters, locked with the scope of companies until the transaction ends: there may be no row yet. */
export async function lockFilters(ctx: Context, companies: Companies): Promise<Filters> {
  await lockTenant(ctx, `${tenancyOf(ctx).environment} company_filters`)
  return await withRemovable(ctx, await readRow(ctx), companies)
}

export const COMPANY_FILTERS = defineResource<Filters>()({
  noun: 'company_filters',
  etag: filtersEtag,
  named: () => ({ id: 'company_filters', name: 'Company filters' }),
  write: upsertOf('CompanyFilters', { key: [], columns: ['filters'] }),
})

/** Tickets are asked for so many at a time. */
const AT_ONCE = 10

// Contract silent: a company is in use while an execution on one of its tickets is live, by the ticket's company in the PSA.
/** The companies of tickets that agents work on now. */
export async function companiesInUse(ctx: Context): Promise<Set<string>> {
  const psa = psaOf(ctx)
  const waiting = await liveTicketIds(ctx)
  const in_use = new Set<string>()
  while (waiting.length > 0) {
    const tickets = await Promise.all(waiting.splice(0, AT_ONCE).map((ticket_id) => psa.ticket(ticket_id)))
    for (const ticket of tickets) if (ticket?.psa_company_id != null) in_use.add(ticket.psa_company_id)
  }
  return in_use
}
