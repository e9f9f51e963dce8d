/** Companies and contacts in the PSA, and messages to contacts. */
import type { Psa, PsaContact } from '../../connectors/psa.ts'
import { requireFound } from '../failure.ts'
import { type Search, searchOf } from '../search.ts'
import { inPsa } from '../tool-context.ts'

const summaryOf = ({ contact_id, name, email, phone }: PsaContact) => ({
  contact_id,
  name,
  email: email || null,
  phone: phone || null,
})

/** The ticket that the entity is, or that it is a time entry of. */
async function ticketOf(psa: Psa, entity_id: string | null): Promise<string | null> {
  if (entity_id === null) return null
  if (await psa.listedTicket(entity_id)) return entity_id
  return (await psa.timeEntry(entity_id))?.ticket_id ?? null
}

export const COMPANY_EXECUTORS = {
  'company.search': inPsa(async (psa, search: Search) => {
    const companies = await psa.searchCompanies(searchOf(search))
    return { results: companies.map(({ psa_company_id, name }) => ({ company_id: psa_company_id, name })) }
  }),
  'company.read': inPsa(async (psa, { company_id }: { company_id: string }) => {
    const [company, details] = await Promise.all([psa.company(company_id), psa.companyDetails(company_id)])
    const { name } = requireFound(company, 'company_not_found')
    return { company_id, name, domains: details?.domains ?? [], agreements: details?.agreements ?? [] }
  }),
  'contact.search': inPsa(async (psa, search: Search) => ({
    results: (await psa.searchContacts(searchOf(search))).map(summaryOf),
  })),
  'contact.read': inPsa(async (psa, { contact_id }: { contact_id: string }) => {
    const contact = requireFound(await psa.contact(contact_id), 'contact_not_found')
    const [company = null] = await psa.companyNames([contact.psa_company_id])
    return { ...summaryOf(contact), company }
  }),
  'message.send': inPsa(
    async (psa, args: { contact_id: string; subject: string; body: string }, { run, key }) => {
      const ticket_id = await ticketOf(psa, run.entity_id)
      const { message_id } = await psa.sendMessage({ ...args, ticket_id, author_name: run.agent_name }, key)
      return { message_id }
    },
    // A PSA whose messages belong to no ticket finds them by their key.
    async (_args, { psa }, { entity_id }) => ({ note_on: (await ticketOf(psa, entity_id)) ?? '' }),
  ),
}
