/** The scope of companies that the service does not know yet. */
import type { PsaCompany } from '../../connectors/psa.ts'
import { db, ownKey } from '../../db/db.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { type Filter, fits } from './rules.ts'

// Contract silent: a company that the PSA has newly is in scope if it fits the filters; of one that the service knows
// already, only a replacement of the filters widens the scope.
/** Tells whether a company that is new to the service is in scope. */
export async function newInScope(ctx: MutationContext): Promise<(company: PsaCompany) => boolean> {
  const where = { tenant_id_environment: ownKey(ctx, {}) }
  const stored = await db(ctx).companyFilters.findUnique({ where })
  const filters = (stored?.filters ?? []) as unknown as readonly Filter[]
  return ({ attributes }) => fits(filters, attributes)
}
