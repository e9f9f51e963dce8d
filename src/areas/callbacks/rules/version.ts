/**
 * Versions of tickets and time entries: the little that is kept of what was read, so that the next event can be told
 * apart from it. Long texts are kept as hashes alone.
 */
import { createHash } from 'node:crypto'

interface Ticket {
  title: string
  description: string | null
  resolution: string | null
  status: string
  priority: string | null
  board: string | null
  type: string | null
  category: string | null
  psa_company_id: string | null
  contact_id: string | null
  assignee_psa_id: number | null
  merged_into_ticket_id: string | null
  created_at: Date
  updated_at: Date
  closed_at: Date | null
  made_by_key?: string | null
}

export interface Note {
  note_id: string
  author_name: string
  author_side: 'CONTACT' | 'TECHNICIAN' | null
  author_contact_id: string | null
  is_internal: boolean
  text: string
  created_at: Date
  made_by_key?: string | null
}

export interface TimeEntry {
  ticket_id: string
  technician_psa_id: number | null
  minutes: number
  note: string | null
  agreement: string | null
  returned_reason: string | null
  started_at: Date
  created_at: Date
}

/** A ticket as it was read, with its notes; `attachments` is null if no agent asks for them, and they were not read. */
export interface ReadTicket<Read extends Ticket = Ticket> {
  ticket: Read
  notes: readonly Note[]
  attachments: readonly { attachment_id: string }[] | null
}

export interface TicketVersion {
  status: string
  priority: string | null
  board: string | null
  type: string | null
  category: string | null
  company: string | null
  contact: string | null
  assignee: number | null
  merged_into: string | null
  is_closed: boolean
  /** Hashes. */
  title: string
  texts: string
  /** In milliseconds. */
  updated_at: number
  /** The ids of the latest notes, the oldest first. */
  notes: readonly string[]
  /** When the first of them was written, if there are older ones; else null. */
  notes_since: number | null
  /** The ids of the files. null: they were not read. */
  attachments: readonly string[] | null
}

export interface TimeEntryVersion {
  /** The hash of all its fields. */
  fields: string
}

/** The notes and files of a ticket whose ids are kept. */
export const MAX_KEPT = 200

const hashOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)

export function versionOfTicket({ ticket, notes, attachments }: ReadTicket): TicketVersion {
  const kept = notes.slice(-MAX_KEPT)
  return {
    status: ticket.status,
    priority: ticket.priority,
    board: ticket.board,
    type: ticket.type,
    category: ticket.category,
    company: ticket.psa_company_id,
    contact: ticket.contact_id,
    assignee: ticket.assignee_psa_id,
    merged_into: ticket.merged_into_ticket_id,
    is_closed: ticket.closed_at !== null,
    title: hashOf(ticket.title),
    texts: hashOf(ticket.description, ticket.resolution),
    updated_at: ticket.updated_at.getTime(),
    notes: kept.map(({ note_id }) => note_id),
    notes_since: notes.length > kept.length ? (kept[0]?.created_at.getTime() ?? null) : null,
    attachments: attachments?.slice(-MAX_KEPT).map(({ attachment_id }) => attachment_id) ?? null,
  }
}

export const versionOfTimeEntry = (entry: TimeEntry): TimeEntryVersion => ({
  fields: hashOf(
    entry.ticket_id,
    entry.technician_psa_id,
    entry.minutes,
    entry.note,
    entry.agreement,
    entry.returned_reason,
    entry.started_at,
  ),
})

/** The notes that are not among those of the version. */
export function newNotes(previous: TicketVersion, notes: readonly Note[]): Note[] {
  const known = new Set(previous.notes)
  const since = previous.notes_since ?? Number.NEGATIVE_INFINITY
  return notes.filter(({ note_id, created_at }) => !known.has(note_id) && created_at.getTime() >= since)
}

/** The status of a ticket that is open, and since when nobody touched it; null for one that is closed, and for a time entry. */
// Contract silent: what agents and the service itself change in a ticket touches it too.
export function quietOf(
  version: TicketVersion | TimeEntryVersion,
): { open_status: string; quiet_since: Date } | null {
  if (!('is_closed' in version) || version.is_closed) return null
  return { open_status: version.status, quiet_since: new Date(version.updated_at) }
}
