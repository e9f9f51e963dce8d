/** The PSA as a call sees it that works for one company. */
import type { DirectoryPage, DirectorySearch, Psa, PsaTicket, PsaWrite } from '../../connectors/psa.ts'
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
  const toTicket = writesTo<string, PsaWrite>(psa, 'TICKET_NOT_FOUND', hasTicket)
  const toCompany = writesTo<OfCompany, PsaWrite>(psa, 'COMPANY_NOT_FOUND', own)
  const toContact = writesTo<Pick<Parameters<Psa['sendMessage']>[0], 'contact_id'>, PsaWrite>(
    psa,
    'CONTACT_NOT_FOUND',
    ({ contact_id }) => contact(contact_id),
  )
  const toTimeEntry = writesTo<string, PsaWrite>(psa, 'TIME_ENTRY_NOT_FOUND', timeEntry)
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
    ticketUrl: async (id) => ((await hasTicket(id)) ? await psa.ticketUrl(id) : null),
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
    addNote: toTicket(
      (...call) => psa.addNote(...call),
      (note_on) => ({ note_on }),
    ),
    addTimeEntry: toTicket(
      (...call) => psa.addTimeEntry(...call),
      (time_on) => ({ time_on }),
    ),
    updateTicket: toTicket(
      (...call) => psa.updateTicket(...call),
      (ticket_id, changes) => ({ ticket_id, changes }),
    ),
    createTicket: toCompany(
      (draft: Parameters<Psa['createTicket']>[0], key: string) => psa.createTicket(draft, key),
      () => 'NEW_TICKET',
    ),
    mergeTicket: toTicket(
      async (ticket_id, into_ticket_id, key) => {
        const merge = { ticket_id, into_ticket_id }
        await requireInReach(psa, key, await hasTicket(into_ticket_id), 'TICKET_NOT_FOUND', merge)
        return await psa.mergeTicket(ticket_id, into_ticket_id, key)
      },
      (ticket_id, into_ticket_id) => ({ ticket_id, into_ticket_id }),
    ),
    setAgreement: toTimeEntry(
      (...call) => psa.setAgreement(...call),
      (time_entry_id, agreement) => ({ time_entry_id, agreement }),
    ),
    returnTimeEntry: toTimeEntry(
      (...call) => psa.returnTimeEntry(...call),
      (time_entry_id) => ({ time_entry_id, agreement: null }),
    ),
    sendMessage: toContact(
      (...call) => psa.sendMessage(...call),
      ({ ticket_id }) => ({ note_on: ticket_id ?? '' }),
    ),
    outcomeOf: (...asked) => psa.outcomeOf(...asked),
  }
}
