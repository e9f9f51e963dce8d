/** The PSA as a call sees it that works for one company. */
import type { Psa, PsaTicket } from '../../connectors/psa.ts'
import { ofCompany, requireInReach, searchInReach } from './company.ts'
import type { Reach } from './reach.ts'

const none = async (): Promise<never[]> => []

export function psaInReach(psa: Psa, reach: Reach): Psa {
  const { entity, psa_company_id, contact_id } = reach
  const own = ofCompany(reach)
  const isOwnCompany = (id: string) => id === psa_company_id
  const isEntity = async (ticket_id: string): Promise<boolean> => {
    if (entity === null || entity.type === 'TICKET') return entity?.id === ticket_id
    return (await psa.timeEntry(entity.id))?.ticket_id === ticket_id
  }
  const isContacts = (ticket: PsaTicket | null) => contact_id === null || ticket?.contact_id === contact_id
  const ticket = async (id: string) => {
    const found = await psa.ticket(id)
    return (own(found) && isContacts(found)) || (await isEntity(id)) ? found : null
  }
  const hasTicket = async (id: string) =>
    (entity?.type === 'TICKET' && entity.id === id) || (await ticket(id)) !== null
  const contact = async (id: string) => own(await psa.contact(id))
  const timeEntry = async (id: string) => {
    const found = await psa.timeEntry(id)
    return own(found) || (entity?.type === 'TIME_ENTRY' && entity.id === id) ? found : null
  }
  const needTicket = async (id: string, key: string) =>
    requireInReach(psa, key, await hasTicket(id), 'TICKET_NOT_FOUND')
  const needTimeEntry = async (id: string, key: string) =>
    requireInReach(psa, key, await timeEntry(id), 'TIME_ENTRY_NOT_FOUND')
  return {
    companyFields: () => psa.companyFields(),
    companies: async () => (await psa.companies()).filter((company) => isOwnCompany(company.psa_company_id)),
    company: async (id) => (isOwnCompany(id) ? await psa.company(id) : null),
    companyNames: async (ids) =>
      (await psa.companyNames(ids)).map((name, index) => (isOwnCompany(ids[index] ?? '') ? name : null)),
    companyDetails: async (id) => (isOwnCompany(id) ? await psa.companyDetails(id) : null),
    searchCompanies: async (search) =>
      (await psa.searchCompanies(search)).filter((company) => isOwnCompany(company.psa_company_id)),
    // Technicians, statuses and how much work a technician has are the MSP's own.
    technician: (id) => psa.technician(id),
    ticketStatuses: () => psa.ticketStatuses(),
    openTicketCounts: (ids) => psa.openTicketCounts(ids),
    contact,
    contactByEmail: async (company, email) =>
      isOwnCompany(company) ? await psa.contactByEmail(company, email) : null,
    async searchContacts(search) {
      const own_search = searchInReach(reach, search)
      return own_search ? await psa.searchContacts(own_search) : []
    },
    ticket,
    async searchTickets(search) {
      const own_search = searchInReach(reach, search)
      return own_search ? await psa.searchTickets({ ...own_search, contact_id }) : []
    },
    attachmentsOf: async (id) => ((await hasTicket(id)) ? await psa.attachmentsOf(id) : []),
    notesOf: async (id) => ((await hasTicket(id)) ? await psa.notesOf(id) : []),
    timeEntriesOf: async (id) => ((await hasTicket(id)) ? await psa.timeEntriesOf(id) : []),
    timeEntry,
    // What the service itself follows, and no tool asks for.
    openTickets: none,
    timeEntriesAfter: none,
    openTicketsOf: async (id) => ((await contact(id)) ? await psa.openTicketsOf(id) : []),
    recentlyClosedTicketsOf: async (id, days) =>
      (await contact(id)) ? await psa.recentlyClosedTicketsOf(id, days) : [],
    async addNote(id, note, key) {
      await needTicket(id, key)
      return await psa.addNote(id, note, key)
    },
    async addTimeEntry(id, entry, key) {
      await needTicket(id, key)
      return await psa.addTimeEntry(id, entry, key)
    },
    async updateTicket(id, changes, key) {
      await needTicket(id, key)
      return await psa.updateTicket(id, changes, key)
    },
    async createTicket(draft, key) {
      await requireInReach(psa, key, isOwnCompany(draft.psa_company_id), 'COMPANY_NOT_FOUND')
      return await psa.createTicket(draft, key)
    },
    async mergeTicket(id, into, key) {
      await needTicket(id, key)
      await needTicket(into, key)
      return await psa.mergeTicket(id, into, key)
    },
    async setAgreement(id, agreement, key) {
      await needTimeEntry(id, key)
      return await psa.setAgreement(id, agreement, key)
    },
    async returnTimeEntry(id, reason, key) {
      await needTimeEntry(id, key)
      return await psa.returnTimeEntry(id, reason, key)
    },
    async sendMessage(message, key) {
      await requireInReach(psa, key, await contact(message.contact_id), 'CONTACT_NOT_FOUND')
      return await psa.sendMessage(message, key)
    },
    outcomeOf: (key) => psa.outcomeOf(key),
  }
}
