/**
 * The port to a PSA: the system in which an MSP keeps its companies, contacts, technicians, tickets and time entries.
 *
 * port: the interface below. Areas know nothing else of any PSA.
 * adapter: an implementation of the port for one kind of PSA. `test/connectors/psa.test.ts` tests each against the
 * promises that are written here.
 *
 * Ids are the PSA's own. A read answers with null or with an empty list where the PSA has no such thing. Every call
 * rejects with PsaUnavailable where the PSA cannot be reached or does not answer in time, and a write with PsaRefusal
 * where the PSA does not take it; then nothing was written.
 */
import type { DatabaseContext } from '../db/db.ts'
import type { Stopwatch } from '../lib/stopwatch.ts'

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
  description: string | null
  /** The name of one of `ticketStatuses`. */
  status: string
  priority: string | null
  board: string | null
  category: string | null
  psa_company_id: string | null
  contact_id: string | null
  assignee_psa_id: number | null
  /** The ticket's page for people; null where the PSA has none. */
  url: string | null
  created_at: Date
  updated_at: Date
  /** null: the ticket is open. */
  closed_at: Date | null
}

export interface PsaNote {
  note_id: string
  ticket_id: string
  author_name: string
  /** Internal notes are for technicians alone. */
  is_internal: boolean
  text: string
  created_at: Date
}

export interface PsaTimeEntry {
  time_entry_id: string
  ticket_id: string
  technician_psa_id: number
  minutes: number
  note: string | null
  started_at: Date
  created_at: Date
}

/** Lists of tickets have at most this many. */
export const MAX_TICKETS = 200
/** A list of new time entries has at most this many. */
export const MAX_TIME_ENTRIES = 200

/** The place of a ticket among those that are open. */
type TicketPosition = Pick<PsaTicket, 'updated_at' | 'ticket_id'>

/** The place of a time entry among all. The empty id is before every other. */
type TimeEntryPosition = Pick<PsaTimeEntry, 'created_at' | 'time_entry_id'>

interface PsaReads {
  /** The fields that company filters can use, in the PSA's order; the options of each by id. */
  companyFields(): Promise<readonly PsaCompanyField[]>
  /** Every company, by name. */
  companies(): Promise<readonly PsaCompany[]>
  company(psa_company_id: string): Promise<PsaCompany | null>
  technician(psa_id: number): Promise<PsaTechnician | null>
  contact(contact_id: string): Promise<PsaContact | null>
  /**
   * The contact at the company who has the address, in any letter case and without the white space around it. What
   * follows a plus sign is a part of the address. Of several contacts it is an active one, and then the one with the
   * smallest id.
   */
  contactByEmail(psa_company_id: string, email: string): Promise<PsaContact | null>
  /** Every status that a ticket can have, in the order in which a ticket usually passes them. */
  ticketStatuses(): Promise<readonly PsaTicketStatus[]>
  ticket(ticket_id: string): Promise<PsaTicket | null>
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
  technician_psa_id: number
  minutes: number
  note: string | null
  started_at: Date
}

/** The fields to change. A field that is absent stays as it is. */
type PsaTicketChanges = Partial<
  Pick<PsaTicket, 'title' | 'status' | 'priority' | 'board' | 'category' | 'assignee_psa_id'>
>

/**
 * Writes happen once for each idempotency key: a repeated call with the same key writes nothing, and answers with the
 * note or time entry that the first one made, or with the ticket as it is now. A key belongs to one write of a tenant.
 */
interface PsaWrites {
  addNote(ticket_id: string, note: PsaNoteDraft, idempotency_key: string): Promise<PsaNote>
  addTimeEntry(ticket_id: string, entry: PsaTimeEntryDraft, idempotency_key: string): Promise<PsaTimeEntry>
  updateTicket(ticket_id: string, changes: PsaTicketChanges, idempotency_key: string): Promise<PsaTicket>
}

/** MADE: the write of the key was made. NOT_MADE: it was not, and a call with the key makes it. UNKNOWN: the system cannot tell. */
export type Outcome = 'MADE' | 'NOT_MADE' | 'UNKNOWN'

interface PsaOutcomes {
  /** Whether the write of the key was made. It asks the PSA each time. */
  outcomeOf(idempotency_key: string): Promise<Outcome>
}

/** The PSA of one tenant. */
export interface Psa extends PsaReads, PsaWrites, PsaOutcomes {}

/** READ: it can be repeated, and its result shared. OUTCOME: it can be repeated. WRITE: its key makes it once. */
export type CallKind = 'READ' | 'OUTCOME' | 'WRITE'

export const PSA_CALLS: Readonly<Record<keyof Psa, CallKind>> = {
  companyFields: 'READ',
  companies: 'READ',
  company: 'READ',
  technician: 'READ',
  contact: 'READ',
  contactByEmail: 'READ',
  ticketStatuses: 'READ',
  ticket: 'READ',
  openTicketCounts: 'READ',
  openTickets: 'READ',
  openTicketsOf: 'READ',
  recentlyClosedTicketsOf: 'READ',
  notesOf: 'READ',
  timeEntriesOf: 'READ',
  timeEntry: 'READ',
  timeEntriesAfter: 'READ',
  addNote: 'WRITE',
  addTimeEntry: 'WRITE',
  updateTicket: 'WRITE',
  outcomeOf: 'OUTCOME',
}

/** The PSA could not be reached, or did not answer in time. Of a write it is then unknown whether it was made. */
export class PsaUnavailable extends Error {
  readonly retry_after_seconds: number

  constructor(
    message: string,
    { cause, retry_after_seconds = 5 }: { cause?: unknown; retry_after_seconds?: number } = {},
  ) {
    super(message, { cause })
    this.retry_after_seconds = retry_after_seconds
  }
}

type RefusalReason = 'TICKET_NOT_FOUND' | 'STATUS_UNKNOWN' | 'TECHNICIAN_UNKNOWN'

/** The PSA does not take a write, and made nothing of it. */
export class PsaRefusal extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(`The PSA refused the change: ${reason}`)
    this.reason = reason
  }
}

/** The context of a call to the PSA: the tenant whose PSA it is, and the clock. */
export interface PsaContext extends DatabaseContext {
  now: Date
  /** Measures the time in which the call waits for other systems. */
  upstream_time?: Stopwatch
  /** True: reads are not shared, so that they see what other processes have written. */
  fresh?: boolean
}

/** The PSA of the context's tenant. An adapter reads from the database where and how to reach it. */
export interface PsaConnector {
  (ctx: PsaContext): Psa
  /** It keeps its data in the service's own database, and its calls are part of the caller's transaction. */
  joins_transactions?: true
}

/** The ports of the service, with the adapters that the process was composed with. */
export interface Connectors {
  psa: PsaConnector
}

/** The PSA of the caller's tenant, through the budgeted client. */
export const psaOf = (ctx: PsaContext & { services: { connectors: Connectors } }): Psa =>
  ctx.services.connectors.psa(ctx)
