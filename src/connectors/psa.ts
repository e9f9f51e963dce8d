/**
 * The port to a PSA: the system in which an MSP keeps its companies, contacts, technicians, tickets and time entries.
 * The promises of every port are in `port.ts`.
 */
import type { Connector, NotYet, Outcome, PortContext, PortDescription, Search } from './port.ts'

/** A choice of a field. */
export interface PsaOption {
  /** Unique among the options of all fields: an adapter makes it so for a PSA that counts them in each field. */
  id: number
  name: string
}

/** A field by whose values companies can be filtered, with all of its choices. */
interface PsaCompanyField {
  field_name: string
  label: string
  options: readonly PsaOption[]
}

export interface PsaCompany {
  psa_company_id: string
  name: string
  is_active: boolean
  /** The id of the chosen option, by `field_name`. A field without a value is absent. */
  attributes: Readonly<Record<string, number>>
}

export interface PsaTechnician {
  psa_id: number
  name: string
  email: string | null
}

export interface PsaContact {
  contact_id: string
  psa_company_id: string
  name: string
  email: string | null
  phone: string | null
  title: string | null
  is_active: boolean
}

export interface PsaTicketStatus {
  name: string
  /** A ticket that gets the status is closed; one that leaves it is open again. */
  is_closed: boolean
}

export interface PsaTicket {
  ticket_id: string
  /** The number that people know the ticket by. */
  number: string
  title: string
  /** In a list of tickets it is null if the PSA keeps it apart from the ticket; the resolution too. */
  description: string | null
  /** The name of one of `ticketStatuses`. */
  status: string
  priority: string | null
  board: string | null
  type: string | null
  category: string | null
  psa_company_id: string | null
  contact_id: string | null
  assignee_psa_id: number | null
  /** The names of its company, contact and assignee, of a PSA that tells them with the ticket. Absent: they have to be read. */
  names?: { company?: string | undefined; contact?: string | undefined; assignee?: string | undefined }
  /** The ticket's page for people; null if the PSA has none. */
  url: string | null
  created_at: Date
  updated_at: Date
  /** null: the ticket is open. */
  closed_at: Date | null
  /** The text with which it was closed, for the contact. */
  resolution: string | null
  /** The ticket that this one is a duplicate of. */
  merged_into_ticket_id: string | null
  /**
   * The idempotency key of the service's own write that made it, or what the PSA keeps of the key. null or absent: another made
   * it, or the PSA keeps nothing of keys.
   */
  made_by_key?: string | null
}

export interface PsaNote {
  note_id: string
  ticket_id: string
  author_name: string
  /** The side that wrote it. null: the PSA does not tell. */
  author_side: 'CONTACT' | 'TECHNICIAN' | null
  /** The contact that wrote it. null: another did, or the PSA does not tell. */
  author_contact_id: string | null
  /** Internal notes are for technicians alone. */
  is_internal: boolean
  text: string
  created_at: Date
  /** As that of a ticket. */
  made_by_key?: string | null
}

export interface PsaTimeEntry {
  time_entry_id: string
  ticket_id: string
  /** The company of its ticket. */
  psa_company_id: string | null
  /** null: an agent did the work. */
  technician_psa_id: number | null
  minutes: number
  note: string | null
  /** The name of the company's agreement that the work is under. */
  agreement: string | null
  /** The reason for which it was sent back to the technician who wrote it. null: it was not. */
  returned_reason: string | null
  started_at: Date
  created_at: Date
}

export interface PsaAttachment {
  attachment_id: string
  file_name: string
  bytes: number
}

export interface PsaCompanyDetails {
  /** E-mail domains. */
  domains: readonly string[]
  /** The names of the agreements, in their order. */
  agreements: readonly string[]
}

/** Lists of tickets have at most this many. */
export const MAX_TICKETS = 200
/** A list of new time entries has at most this many. */
export const MAX_TIME_ENTRIES = 200

/** The place of a ticket among those that are open. */
type TicketPosition = Pick<PsaTicket, 'updated_at' | 'ticket_id'>

/** The place of a time entry among all. The empty id is before every other. */
type TimeEntryPosition = Pick<PsaTimeEntry, 'created_at' | 'time_entry_id'>

/** A company as a directory has it. */
export interface PsaDirectoryCompany extends PsaCompany {
  /** E-mail domains. null: they were not read with the page, and those that are known stay. */
  domains: readonly string[] | null
}

/** The rows to read of a directory. */
export interface DirectorySearch {
  /** The `next` of the page before; null: the first page. */
  after: string | null
  /** Rows that changed at this instant or later; a PSA that cannot tell gives all. null: all. */
  changed_since: Date | null
}

/** A page of a directory, in an order that stays the same while rows change. */
export interface DirectoryPage<Row> {
  rows: readonly Row[]
  /** What to continue after; null: this is the last page. */
  next: string | null
  /** Rows that the system counts in all pages; absent or null: the system does not count them. */
  total?: number | null
}

/** Everything that the PSA has of a kind, page by page: active or not. A page has at most 1,000 rows. */
interface PsaDirectory {
  companyPage(search: DirectorySearch): Promise<DirectoryPage<PsaDirectoryCompany>>
  contactPage(search: DirectorySearch): Promise<DirectoryPage<PsaContact>>
  technicianPage(search: DirectorySearch): Promise<DirectoryPage<PsaTechnician>>
}

/** A ticket or time entry that was made or changed. What changed of it is read from the thing itself. */
export interface PsaChange {
  entity_id: string
  changed_at: Date
}

/** The changes to read. */
export interface ChangeSearch {
  /** The first instant whose changes are wanted. A PSA that keeps whole seconds begins with that second. */
  changed_since: Date
  /** The `next` of the page before; null: the first page. */
  after: string | null
}

/**
 * What changed since an instant, each thing by its last change, the oldest change first. A page has at most 1,000 rows. A
 * thing that changes while pages are read comes again, and nothing is left out for that.
 */
interface PsaChanges {
  /** Tickets, whether they are open or closed. A new note or time entry changes its ticket. */
  ticketChangePage(search: ChangeSearch): Promise<DirectoryPage<PsaChange>>
  timeEntryChangePage(search: ChangeSearch): Promise<DirectoryPage<PsaChange>>
}

/** A ticket with its notes, the oldest first. */
export interface PsaTicketWithNotes {
  ticket: PsaTicket
  notes: readonly PsaNote[]
}

interface PsaReads extends PsaDirectory, PsaChanges {
  /** The fields that company filters can use, in the PSA's order; the options of each by id. */
  companyFields(): Promise<readonly PsaCompanyField[]>
  /** Every company, by name. */
  companies(): Promise<readonly PsaCompany[]>
  company(psa_company_id: string): Promise<PsaCompany | null>
  /** The names of these companies, in the order of their ids; null for one that it does not know. */
  companyNames(psa_company_ids: readonly string[]): Promise<readonly (string | null)[]>
  companyDetails(psa_company_id: string): Promise<PsaCompanyDetails | null>
  /** The companies whose name or one of whose domains has the words, by name. */
  searchCompanies(search: Omit<Search, 'psa_company_id'>): Promise<readonly PsaCompany[]>
  technician(psa_id: number): Promise<PsaTechnician | null>
  contact(contact_id: string): Promise<PsaContact | null>
  /**
   * The contact at the company who has the address, without the white space around it. ASCII letters may be in any
   * case, and the domain in any form that IDNA takes for the same; no other letters are folded. What follows a plus
   * sign is a part of the address. Of several contacts it is an active one, and then the one with the
   * smallest id.
   */
  contactByEmail(psa_company_id: string, email: string): Promise<PsaContact | null>
  /** The active contacts whose name, e-mail address or telephone number has the words, by name. */
  searchContacts(search: Search): Promise<readonly PsaContact[]>
  /**
   * Every status that a ticket can have, in the order in which a ticket usually passes them. A PSA may have others for each
   * board: a change to one that the ticket's board lacks is refused with STATUS_NOT_FOUND.
   */
  ticketStatuses(): Promise<readonly PsaTicketStatus[]>
  ticket(ticket_id: string): Promise<PsaTicket | null>
  /** The ticket as lists have it, without what the PSA keeps apart from it. */
  listedTicket(ticket_id: string): Promise<PsaTicket | null>
  /** The page for people that a ticket of this id has; null if the PSA has none. The PSA need not be asked for it. */
  ticketUrl(ticket_id: string): Promise<string | null>
  /**
   * The tickets whose number, title or text (if the PSA searches it) has the words, of the contact alone if one is given;
   * the last created first.
   */
  searchTickets(
    search: Search & { open_only: boolean; contact_id?: string | null },
  ): Promise<readonly PsaTicket[]>
  /** The files of the ticket, by name. */
  attachmentsOf(ticket_id: string): Promise<readonly PsaAttachment[]>
  /** The open tickets that are assigned to each of these technicians, in the order of their ids; 0 for one it does not know. */
  openTicketCounts(psa_ids: readonly number[]): Promise<readonly number[]>
  /**
   * Open tickets, the longest unchanged first, and then by their ids: those that come after the given one, or the first
   * ones.
   */
  openTickets(after: TicketPosition | null): Promise<readonly PsaTicket[]>
  /** The contact's open tickets, the last updated first. */
  openTicketsOf(contact_id: string): Promise<readonly PsaTicket[]>
  /** The contact's tickets that were closed in the last `days` times 24 hours, the last closed first. */
  recentlyClosedTicketsOf(contact_id: string, days: number): Promise<readonly PsaTicket[]>
  /** The notes of the ticket, the oldest first. */
  notesOf(ticket_id: string): Promise<readonly PsaNote[]>
  /** The time entries of the ticket, by their start. */
  timeEntriesOf(ticket_id: string): Promise<readonly PsaTimeEntry[]>
  /** These tickets, each with its notes, in as few requests as the PSA allows; one that it does not know is absent. */
  ticketsWithNotes(ticket_ids: readonly string[]): Promise<readonly PsaTicketWithNotes[]>
  timeEntry(time_entry_id: string): Promise<PsaTimeEntry | null>
  /** The time entries that were made after the given one, in the order in which they were made, and then by their ids. */
  timeEntriesAfter(after: TimeEntryPosition): Promise<readonly PsaTimeEntry[]>
}

interface PsaNoteDraft {
  author_name: string
  is_internal: boolean
  text: string
}

interface PsaTimeEntryDraft {
  technician_psa_id: number | null
  minutes: number
  note: string | null
  started_at: Date
}

interface PsaTicketDraft {
  psa_company_id: string
  /** A contact of the company. */
  contact_id: string | null
  title: string
  description: string
  board: string | null
}

/** An e-mail to a contact. */
interface PsaMessageDraft {
  contact_id: string
  /** The ticket that keeps the message, as a note that the contact reads too. */
  ticket_id: string | null
  author_name: string
  subject: string
  body: string
}

/** The fields to change. A field that is absent stays as it is. */
type PsaTicketChanges = Partial<
  Pick<
    PsaTicket,
    | 'title'
    | 'status'
    | 'priority'
    | 'board'
    | 'type'
    | 'category'
    | 'contact_id'
    | 'assignee_psa_id'
    | 'resolution'
  >
>

/** The aim of a write, as far as a PSA needs it to find what the write made. */
export type PsaWrite =
  /** A note or a message on the ticket. */
  | { note_on: string }
  /** A time entry on the ticket. */
  | { time_on: string }
  | { ticket_id: string; changes: PsaTicketChanges }
  | { ticket_id: string; into_ticket_id: string }
  /** `agreement` null: another change. */
  | { time_entry_id: string; agreement: string | null }
  | 'NEW_TICKET'

/**
 * A repeated write answers with the note, time entry, ticket or message that the first one made, or as it is now. A draft or
 * a change that the PSA has no place for, such as a ticket without a board, is refused with NOT_SUPPORTED.
 */
export interface PsaWrites {
  /**
   * The outcome of the write of this key. It asks the PSA each time. `ends_at`: no request of the write is under way after it;
   * by default none is.
   */
  outcomeOf(idempotency_key: string, write: PsaWrite, ends_at?: Date): Promise<Outcome | NotYet>
  addNote(ticket_id: string, note: PsaNoteDraft, idempotency_key: string): Promise<Pick<PsaNote, 'note_id'>>
  addTimeEntry(ticket_id: string, entry: PsaTimeEntryDraft, idempotency_key: string): Promise<PsaTimeEntry>
  /** A new contact is one of the ticket's company. */
  updateTicket(ticket_id: string, changes: PsaTicketChanges, idempotency_key: string): Promise<PsaTicket>
  /** The ticket has the first of `ticketStatuses`. */
  createTicket(ticket: PsaTicketDraft, idempotency_key: string): Promise<PsaTicket>
  /** Closes the duplicate, which names the ticket that stays. */
  mergeTicket(ticket_id: string, into_ticket_id: string, idempotency_key: string): Promise<PsaTicket>
  /** The agreement is one of the ticket's company. */
  setAgreement(time_entry_id: string, agreement: string, idempotency_key: string): Promise<PsaTimeEntry>
  returnTimeEntry(time_entry_id: string, reason: string, idempotency_key: string): Promise<PsaTimeEntry>
  sendMessage(message: PsaMessageDraft, idempotency_key: string): Promise<{ message_id: string }>
}

/** The PSA of one tenant. */
export interface Psa extends PsaReads, PsaWrites {}

/** The reads of tickets, notes and time entries. */
export type PsaTicketReads = Pick<
  Psa,
  | 'ticketStatuses'
  | 'ticket'
  | 'listedTicket'
  | 'ticketUrl'
  | 'ticketsWithNotes'
  | 'searchTickets'
  | 'attachmentsOf'
  | 'openTicketCounts'
  | 'openTickets'
  | 'openTicketsOf'
  | 'recentlyClosedTicketsOf'
  | 'notesOf'
  | 'timeEntriesOf'
  | 'timeEntry'
  | 'timeEntriesAfter'
>

/** Every company of an MSP, of which some have tens of thousands. */
const ALL_COMPANIES = { requests: 500, rows: 50_000, bytes: 32 * 1024 * 1024 }

export const PSA: PortDescription<Psa> = {
  upstream: 'PSA',
  bounds: {
    // Of some systems a request for each technician.
    openTicketCounts: { requests: 500 },
    // Of some systems two requests for each ticket.
    ticketsWithNotes: { requests: 500 },
    companyFields: ALL_COMPANIES,
    companies: ALL_COMPANIES,
    companyNames: ALL_COMPANIES,
    searchCompanies: ALL_COMPANIES,
  },
  calls: {
    companyFields: 'READ',
    companies: 'READ',
    companyPage: 'READ',
    contactPage: 'READ',
    technicianPage: 'READ',
    company: 'READ',
    companyNames: 'READ',
    companyDetails: 'READ',
    searchCompanies: 'READ',
    searchContacts: 'READ',
    searchTickets: 'READ',
    attachmentsOf: 'READ',
    technician: 'READ',
    contact: 'READ',
    contactByEmail: 'READ',
    ticketStatuses: 'READ',
    ticket: 'READ',
    listedTicket: 'READ',
    ticketUrl: 'READ',
    openTicketCounts: 'READ',
    openTickets: 'READ',
    openTicketsOf: 'READ',
    recentlyClosedTicketsOf: 'READ',
    notesOf: 'READ',
    ticketsWithNotes: 'READ',
    timeEntriesOf: 'READ',
    timeEntry: 'READ',
    timeEntriesAfter: 'READ',
    ticketChangePage: 'READ',
    timeEntryChangePage: 'READ',
    addNote: 'WRITE',
    addTimeEntry: 'WRITE',
    updateTicket: 'WRITE',
    createTicket: 'WRITE',
    mergeTicket: 'WRITE',
    setAgreement: 'WRITE',
    returnTimeEntry: 'WRITE',
    sendMessage: 'WRITE',
    outcomeOf: 'OUTCOME',
  },
}

/** The PSA of the context's tenant. */
export type PsaConnector = Connector<Psa>

/** The PSA of the caller's tenant, through the budgeted client. */
export const psaOf = (ctx: PortContext & { services: { connectors: { psa: PsaConnector } } }): Psa =>
  ctx.services.connectors.psa(ctx)
