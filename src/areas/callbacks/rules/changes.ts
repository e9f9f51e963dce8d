/** The changes of an entity since the last version that is known of it: PSA systems say that it changed, and not what. */
import {
  type Note,
  newNotes,
  type ReadTicket,
  type TicketVersion,
  type TimeEntry,
  type TimeEntryVersion,
  versionOfTicket,
  versionOfTimeEntry,
} from './version.ts'

/** The codes of the changes that are told by reading an entity: of a due date nothing is read. */
export type ChangeCode =
  | 'TICKET_CREATED'
  | 'TICKET_STATUS_CHANGED'
  | 'TICKET_PRIORITY_CHANGED'
  | 'TICKET_QUEUE_CHANGED'
  | 'TICKET_ASSIGNEE_CHANGED'
  | 'TICKET_TYPE_CHANGED'
  | 'TICKET_COMPANY_CHANGED'
  | 'TICKET_CONTACT_CHANGED'
  | 'TICKET_SUMMARY_CHANGED'
  | 'TICKET_CUSTOMER_REPLIED'
  | 'TICKET_TECHNICIAN_REPLIED'
  | 'TICKET_INTERNAL_NOTE_ADDED'
  | 'TICKET_ATTACHMENT_ADDED'
  | 'TICKET_MERGED'
  | 'TICKET_CLOSED'
  | 'TICKET_REOPENED'
  | 'TICKET_OTHER_CHANGED'
  | 'TIME_ENTRY_CREATED'
  | 'TIME_ENTRY_UPDATED'
  | 'TIME_ENTRY_DELETED'

/** A change, and the notes that made it, if notes did. */
export interface Change {
  code: ChangeCode
  notes?: readonly Note[]
}

export interface Event {
  action: 'CREATED' | 'UPDATED' | 'DELETED' | 'UNKNOWN'
  received_at: Date
}

/** The version of an entity that is kept. `is_announced`: its creation has been reported. */
export interface Known<Version> {
  version: Version
  is_announced: boolean
}

const HOUR_MS = 3_600_000
/** Update times of some systems have seconds: what carries its own time within these of the update belongs to it. */
const SAME_MS = 5000

/** The fields whose changes have codes of their own. */
const FIELDS: readonly [ChangeCode, ...(keyof TicketVersion)[]][] = [
  ['TICKET_STATUS_CHANGED', 'status'],
  ['TICKET_PRIORITY_CHANGED', 'priority'],
  ['TICKET_QUEUE_CHANGED', 'board'],
  ['TICKET_ASSIGNEE_CHANGED', 'assignee'],
  ['TICKET_TYPE_CHANGED', 'type', 'category'],
  ['TICKET_COMPANY_CHANGED', 'company'],
  ['TICKET_CONTACT_CHANGED', 'contact'],
  ['TICKET_SUMMARY_CHANGED', 'title'],
]

/**
 * The change that a note is. `contact_name` is the name of the ticket’s contact; null: it has none, or the PSA does not tell.
 */
// Contract silent: every contact is the customer, whether the ticket is theirs or not. If the PSA does not tell the side, an author
// with the name of the ticket's contact is, and every other one a technician.
const wroteAs = (
  { is_internal, author_name, author_side }: Note,
  contact_name: string | null,
): ChangeCode => {
  if (is_internal) return 'TICKET_INTERNAL_NOTE_ADDED'
  if (author_side !== null)
    return author_side === 'CONTACT' ? 'TICKET_CUSTOMER_REPLIED' : 'TICKET_TECHNICIAN_REPLIED'
  const same = contact_name !== null && plain(author_name) === plain(contact_name)
  return same ? 'TICKET_CUSTOMER_REPLIED' : 'TICKET_TECHNICIAN_REPLIED'
}

const plain = (name: string): string => name.normalize('NFC').trim().toLowerCase()

function changesByNotes(notes: readonly Note[], contact_name: string | null): Change[] {
  const by_code = Map.groupBy(notes, (note) => wroteAs(note, contact_name))
  return [...by_code].map(([code, own]) => ({ code, notes: own }))
}

// Contract silent: the creation of an entity is one change, whatever else is new about it.
/** True for an entity that nothing is known of, and that came into being within the last hour. */
const isNew = ({ action, received_at }: Event, created_at: Date): boolean =>
  action === 'CREATED' || received_at.getTime() - created_at.getTime() <= HOUR_MS

/** The changes of a ticket of which no version is known: those that carry a time of their own, or else some change. */
function changesOfUnknown({ ticket, notes }: ReadTicket, contact_name: string | null): Change[] {
  const updated = ticket.updated_at.getTime()
  const isOfUpdate = (at: Date | null): boolean => at !== null && Math.abs(updated - at.getTime()) <= SAME_MS
  const by_notes = changesByNotes(
    notes.filter(({ created_at }) => isOfUpdate(created_at)),
    contact_name,
  )
  const closed: Change[] = isOfUpdate(ticket.closed_at) ? [{ code: 'TICKET_CLOSED' }] : []
  const changes = [...by_notes, ...closed]
  return changes.length > 0 ? changes : [{ code: 'TICKET_OTHER_CHANGED' }]
}

/** The changes of a ticket; none if nothing differs from the version that is known. */
export function changesOfTicket(
  known: Known<TicketVersion> | null,
  read: ReadTicket,
  event: Event,
  contact_name: string | null,
): Change[] {
  if (!known) {
    if (isNew(event, read.ticket.created_at)) return [{ code: 'TICKET_CREATED' }]
    return changesOfUnknown(read, contact_name)
  }
  // Events may come in another order than they were made.
  const created: Change[] =
    event.action === 'CREATED' && !known.is_announced ? [{ code: 'TICKET_CREATED' }] : []
  const { version: previous } = known
  const current = versionOfTicket(read)
  const changes: Change[] = FIELDS.filter(([, ...fields]) =>
    fields.some((field) => previous[field] !== current[field]),
  ).map(([code]) => ({ code }))
  changes.push(...changesByNotes(newNotes(previous, read.notes), contact_name))
  const files = new Set(previous.attachments)
  if (previous.attachments && current.attachments?.some((id) => !files.has(id)))
    changes.push({ code: 'TICKET_ATTACHMENT_ADDED' })
  if (current.merged_into !== null && current.merged_into !== previous.merged_into)
    changes.push({ code: 'TICKET_MERGED' })
  if (current.is_closed !== previous.is_closed)
    changes.push({ code: current.is_closed ? 'TICKET_CLOSED' : 'TICKET_REOPENED' })
  const differs = current.texts !== previous.texts || current.updated_at !== previous.updated_at
  if (differs && changes.length === 0 && created.length === 0) changes.push({ code: 'TICKET_OTHER_CHANGED' })
  return [...created, ...changes]
}

/** True if the side of a note's author is told by the name of the ticket's contact alone, which is read then. */
export const needsContact = (known: Known<TicketVersion> | null, { notes }: ReadTicket): boolean =>
  (known ? newNotes(known.version, notes) : notes).some(
    ({ is_internal, author_side }) => !is_internal && author_side === null,
  )

/** The changes of a time entry. `entry` is null if the PSA no longer has it. */
export function changesOfTimeEntry(
  known: Known<TimeEntryVersion> | null,
  entry: TimeEntry | null,
  event: Event,
): Change[] {
  if (!entry) return known || event.action === 'DELETED' ? [{ code: 'TIME_ENTRY_DELETED' }] : []
  if (!known) return [{ code: isNew(event, entry.created_at) ? 'TIME_ENTRY_CREATED' : 'TIME_ENTRY_UPDATED' }]
  const created: Change[] =
    event.action === 'CREATED' && !known.is_announced ? [{ code: 'TIME_ENTRY_CREATED' }] : []
  const is_same = known.version.fields === versionOfTimeEntry(entry).fields
  return is_same || created.length > 0 ? created : [{ code: 'TIME_ENTRY_UPDATED' }]
}
