/** The links of the customers that are stored, resolved again page by page: memory does not grow with their number. */
import type { CompanyLinkSystem } from '../../integrations/index.ts'
import { assetsOfCompanies, nextCustomers } from '../customers.ts'
import { REVIEW_BELOW } from '../rules.ts'
import { namesOfRun } from './indexed-names.ts'
import { type FoundLinks, findCompanyLinks, type ResolveContext } from './resolve.ts'

interface ResolvedPage {
  /** The customers of the page. */
  read: number
  unasked: FoundLinks['unasked']
  store: FoundLinks['store']
  /** The place after which the next page begins; null if this is the last one. */
  next: string | null
}

interface PageRequest {
  /** The pages with this id share what is read of companies. */
  run_id: string
  /** null: all systems in turn. */
  only: CompanyLinkSystem | null
  after: string | null
  asks_model: boolean
}

/** Finds the links of the next customers; null if there are none. */
export async function findLinksOfPage(
  ctx: ResolveContext,
  { run_id, only, after, asks_model }: PageRequest,
): Promise<ResolvedPage | null> {
  const page = await nextCustomers(ctx, only, after)
  if (!page) return null
  const { system, customers, next } = page
  const asset_names = customers.flatMap((customer) => customer.asset_names)
  const company_assets = await assetsOfCompanies(ctx, system, asset_names, REVIEW_BELOW)
  const found = await findCompanyLinks(ctx, {
    system,
    customers: customers.map(({ external_id: id, ...customer }) => ({ ...customer, id })),
    names: await namesOfRun(ctx, run_id, system),
    company_assets,
    asks_model,
  })
  return { read: customers.length, unasked: found.unasked, store: found.store, next }
}
