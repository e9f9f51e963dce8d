/** The PSA as a call sees it that works for one company. */
import type { DirectoryPage, DirectorySearch, Psa, PsaTicket } from '../../connectors/psa.ts'
import { type OfCompany, ofCompany, requireInReach, searchesIn, writesTo } from './company.ts'
import type { Reach } from './reach.ts'

const none = async (): Promise<never[]> => []
const noPage = async (): Promise<DirectoryPage<never>> => ({ rows: [], next: null })

export function psaInReach(psa: Psa, reach: Reach): Psa {
  const { entity, psa_company_id, contact_id } = reach
  const own = ofCompany(reach)
  const isOwnCompany = (id: string) => id === psa_company_id
  const isEntity = async (ticket_id: string): Promise<boolean> => {
    if (entity === null || entity.type === 'TICKET') return entity?.id === ticket_id
    return (await psa.timeEntry(entity.id))?.ticket_id === ticket_id
  }
  const isContacts = (ticket: PsaTicket | null) => contact_id === null || ticket?.contact_id === contact_id
  const ticketBy = (read: (id: string) => Promise<PsaTicket | null>) => async (id: string) => {
    const found = await read(id)
    return (own(found) && isContacts(found)) || (await isEntity(id)) ? found : null
  }
  const listedTicket = ticketBy((id) => psa.listedTicket(id))
  const hasTicket = async (id: string) =>
    (entity?.type === 'TICKET' && entity.id === id) || (await listedTicket(id)) !== null
  const contact = async (id: string) => own(await psa.contact(id))
  const timeEntry = async (id: string) => {
    const found = await psa.timeEntry(id)
    return own(found) || (entity?.type === 'TIME_ENTRY' && entity.id === id) ? found : null
  }
  const within = searchesIn(reach)
  const toTicket = writesTo(psa, 'TICKET_NOT_FOUND', hasTicket)
  const toCompany = writesTo<OfCompany>(psa, 'COMPANY_NOT_FOUND', own)
  const toContact = writesTo(psa, 'CONTACT_NOT_FOUND', ({ contact_id }: { contact_id: string }) =>
    contact(contact_id),
  )
  const toTimeEntry = writesTo(psa, 'TIME_ENTRY_NOT_FOUND', timeEntry)
  const ofPage =
    <Row extends { psa_company_id: string }>(
      read: (search: DirectorySearch) => Promise<DirectoryPage<Row>>,
    ) =>
    async (search: DirectorySearch): Promise<DirectoryPage<Row>> => {
      const { rows, next } = await read(search)
      return { rows: rows.filter((row) => isOwnCompany(row.psa_company_id)), next }
    }
  return {
    companyFields: () => psa.companyFields(),
    companies: async () => (await psa.companies()).filter((company) => isOwnCompany(company.psa_company_id)),
    companyPage: ofPage((search) => psa.companyPage(search)),
    contactPage: ofPage((search) => psa.contactPage(search)),
    company: async (id) => (isOwnCompany(id) ? await psa.company(id) : null),
    companyNames: async (ids) =>
      (await psa.companyNames(ids)).map((name, index) => (isOwnCompany(ids[index] ?? '') ? name : null)),
    companyDetails: async (id) => (isOwnCompany(id) ? await psa.companyDetails(id) : null),
    searchCompanies: async (search) =>
      (await psa.searchCompanies(search)).filter((company) => isOwnCompany(company.psa_company_id)),
    // Technicians, statuses and how much work a technician has are the MSP's own.
    technician: (id) => psa.technician(id),
    technicianPage: (search) => psa.technicianPage(search),
    ticketStatuses: () => psa.ticketStatuses(),
    openTicketCounts: (ids) => psa.openTicketCounts(ids),
    contact,
    contactByEmail: async (company, email) =>
      isOwnCompany(company) ? await psa.contactByEmail(company, email) : null,
    searchContacts: within((search) => psa.searchContacts(search)),
    ticket: ticketBy((id) => psa.ticket(id)),
    listedTicket,
    searchTickets: within((search) => psa.searchTickets({ ...search, contact_id })),
    attachmentsOf: async (id) => ((await hasTicket(id)) ? await psa.attachmentsOf(id) : []),
    notesOf: async (id) => ((await hasTicket(id)) ? await psa.notesOf(id) : []),
    timeEntriesOf: async (id) => ((await hasTicket(id)) ? await psa.timeEntriesOf(id) : []),
    timeEntry,
    // What the service itself follows, and no tool asks for.
    openTickets: none,
    ticketsWithNotes: none,
    timeEntriesAfter: none,
    ticketChangePage: noPage,
    timeEntryChangePage: noPage,
    openTicketsOf: async (id) => ((await contact(id)) ? await psa.openTicketsOf(id) : []),
    recentlyClosedTicketsOf: async (id, days) =>
      (await contact(id)) ? await psa.recentlyClosedTicketsOf(id, days) : [],
    addNote: toTicket((...call) => psa.addNote(...call)),
    addTimeEntry: toTicket((...call) => psa.addTimeEntry(...call)),
    updateTicket: toTicket((...call) => psa.updateTicket(...call)),
    createTicket: toCompany((...call) => psa.createTicket(...call)),
    mergeTicket: toTicket(async (id, into, key) => {
      await requireInReach(psa, key, await hasTicket(into), 'TICKET_NOT_FOUND')
      return await psa.mergeTicket(id, into, key)
    }),
    setAgreement: toTimeEntry((...call) => psa.setAgreement(...call)),
    returnTimeEntry: toTimeEntry((...call) => psa.returnTimeEntry(...call)),
    sendMessage: toContact((...call) => psa.sendMessage(...call)),
    outcomeOf: (...asked) => psa.outcomeOf(...asked),
  }
}
