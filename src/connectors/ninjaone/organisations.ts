/** Organisations of NinjaOne, as company links map them to companies of the PSA. */

import { z } from 'zod'
import { reference } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import type { CompanyLinks } from '../links.ts'
import type { PortContext } from '../port.ts'
import { deviceFilter } from './api.ts'

export const OF_ORGANISATION = z.object({ organizationId: reference })

type OfOrganisation = Partial<z.infer<typeof OF_ORGANISATION>>

/** The organisations of a search: those of one company, or all. */
export interface Scope {
  query: Readonly<Record<string, string>>
  /** The company of an organisation; undefined: it has none, or it is beyond the search. */
  companyOf(rows: readonly OfOrganisation[]): Promise<(row: OfOrganisation) => string | undefined>
}

export function organisationsOf(links: CompanyLinks, ctx: PortContext) {
  const companyOf: Scope['companyOf'] = async (rows) => {
    const ids = new Set(
      rows.flatMap(({ organizationId }) => (organizationId ? [String(organizationId)] : [])),
    )
    const companies = await links.companiesOf(ctx, 'NINJAONE', [...ids])
    return ({ organizationId }) => companies.get(String(organizationId))
  }
  return {
    companyOf,
    /** null: the company has no organisation, and nothing can be found. */
    async scopeOf(psa_company_id: string | null): Promise<Scope | null> {
      if (psa_company_id === null) return { query: {}, companyOf }
      const linked = await links.customersOf(ctx, 'NINJAONE', psa_company_id)
      const ids = new Set(linked.flatMap((id) => idOf(id) ?? []))
      if (ids.size === 0) return null
      // The filter saves rows. That nothing else is found does not lean on it.
      return {
        query: { df: deviceFilter('organization', [...ids]) },
        companyOf: async () => (row) => (ids.has(row.organizationId ?? 0) ? psa_company_id : undefined),
      }
    },
  }
}

export type Organisations = ReturnType<typeof organisationsOf>
