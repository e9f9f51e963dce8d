/** The links of the customers that are stored, judged page by page: memory does not grow with their number. */
import type { MutationContext } from '../../../gateway/context.ts'
import { assetsOfCompanies, type CustomerRange, nextCustomers } from '../customers.ts'
import { readNames } from './indexed-names.ts'
import { type FoundLinks, findCompanyLinks, type ResolveContext, type StoredLinks } from './resolve.ts'

interface JudgedPage {
  /** The customers of the page, without those that the system no longer has. */
  read: number
  unasked: FoundLinks['unasked']
  store(ctx: MutationContext): Promise<StoredLinks | null>
  /** The place after which the next page begins; null if this is the last one. */
  next: string | null
}

interface PageRequest extends CustomerRange {
  asks_model: boolean
}

/** Finds the links of the next customers; null if there are none. */
export async function findLinksOfPage(
  ctx: ResolveContext,
  { asks_model, ...range }: PageRequest,
): Promise<JudgedPage | null> {
  const page = await nextCustomers(ctx, range)
  if (!page) return null
  const { system, customers, next } = page
  const asset_names = customers.flatMap((customer) => customer.asset_names)
  const { unasked, store } = await findCompanyLinks(ctx, {
    system,
    customers,
    names: await readNames(ctx, system),
    company_assets: await assetsOfCompanies(ctx, system, asset_names),
    asks_model,
  })
  const read = customers.filter(({ is_missing }) => !is_missing).length
  return { read, unasked, store, next }
}
