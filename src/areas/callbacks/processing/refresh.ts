/** Refreshes what the service has of a company or contact that changed in the PSA. */
import type { Psa } from '../../../connectors/psa.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import { judgeLinks } from '../../company-links/index.ts'
import { refreshCompany } from '../../end-companies/index.ts'
import { refreshEndUsers } from '../../end-users/index.ts'

/** The company of the entity, which the callback names from then on. */
type Found = { psa_company_id: string | null }

/** Reads the company or contact; the result stores it. One that is gone from the PSA stays as it was. */
export async function refreshed(
  psa: Psa,
  entity_type: 'COMPANY' | 'CONTACT',
  entity_id: string,
): Promise<(ctx: UnboundJobContext) => Promise<Found>> {
  if (entity_type === 'COMPANY') {
    const company = await psa.company(entity_id)
    return async (ctx) => {
      if (company && (await refreshCompany(ctx, company))) await judgeLinks(ctx)
      return { psa_company_id: entity_id }
    }
  }
  const contact = await psa.contact(entity_id)
  return async (ctx) => {
    if (contact) await refreshEndUsers(ctx, [contact])
    return { psa_company_id: contact?.psa_company_id ?? null }
  }
}
