import { type Psa, psaOf } from '../../connectors/psa.ts'
import type { Context } from '../../gateway/context.ts'
import { defineResource } from '../../schema/changes/change.ts'
import { defineTenantRow } from '../../schema/tables/tenant-row.ts'
import { companiesInScope } from '../end-companies/index.ts'
import { liveTicketIds } from '../executions/index.ts'
import { type Filters, type FiltersRow, filtersEtag } from './company-filters.ts'
import { removableFrom } from './rules.ts'

const FILTERS = defineTenantRow<FiltersRow>()('CompanyFilters', {
  noun: 'company_filters',
  title: 'Company filters',
  of_tenant: ['psa_type'],
  defaults: () => ({ filters: [] }),
})

type Companies = Awaited<ReturnType<Psa['companies']>>

/** The filters with the companies in scope that do not fit, among the PSA's companies. */
async function withRemovable(ctx: Context, row: FiltersRow, companies: Companies): Promise<Filters> {
  return { ...row, removable: removableFrom(row.filters, companies, await companiesInScope(ctx)) }
}

export async function readFilters(ctx: Context): Promise<Filters> {
  const [row, companies] = await Promise.all([FILTERS.read(ctx), psaOf(ctx).companies()])
  return await withRemovable(ctx, row, companies)
}

/** The filters, locked with the scope of companies until the transaction ends: there may be no row yet. */
export async function lockFilters(ctx: Context, companies: Companies): Promise<Filters> {
  return await withRemovable(ctx, await FILTERS.lock(ctx), companies)
}

/** The filters, whose companies are read with them. */
export const COMPANY_FILTERS = defineResource<Filters>()({
  ...FILTERS,
  etag: filtersEtag,
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
