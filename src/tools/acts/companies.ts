/** Companies and contacts in the PSA. */
import { inPsa } from '../acting.ts'
import { known } from '../failure.ts'

export const COMPANY_ACTS = {
  'contact.read': inPsa(async (psa, args: { contact_id: string }) => {
    const contact = known(await psa.contact(args.contact_id), 'contact_not_found')
    const { contact_id, name, email, phone, psa_company_id } = contact
    return { contact_id, name, email, phone, company: (await psa.company(psa_company_id))?.name ?? null }
  }),
}
