/** Recognises the changes that agents made themselves, by the markers of their writes. */
import { isObject } from '../../../lib/is-object.ts'
import type { Change, ChangeCode } from './changes.ts'
import type { ReadTicket, TimeEntry } from './version.ts'

/**
 * A write of an agent on the entity since the version that is known: a tool call, with what it asked for. A write of the
 * service itself is told as that of the tool which would make it.
 */
export interface OwnWrite {
  tool_name: string
  arguments: unknown
  /** null: it is still being made. */
  result: unknown
}

type Ticket = ReadTicket['ticket']
type Asked = Readonly<Record<string, unknown>>
/** The ids of technicians in the PSA, by their own. */
type PsaIds = ReadonlyMap<number, number>
type Holds = (ticket: Ticket, asked: Asked, psa_ids: PsaIds) => boolean

const isStatus: Holds = ({ status }, asked) => asked.status === status
const isClosed: Holds = ({ closed_at }) => closed_at !== null
const isMerged: Holds = ({ merged_into_ticket_id }, asked) => asked.into_ticket_id === merged_into_ticket_id
const isAssigned: Holds = ({ assignee_psa_id }, { technician_id }, psa_ids) =>
  assignee_psa_id === (technician_id === null ? null : psa_ids.get(Number(technician_id)))

/** The changes that a tool makes, each with the sign that the ticket still has what the tool gave it. */
const MAKES: Readonly<Record<string, { [Code in ChangeCode]?: Holds }>> = {
  'ticket.set_status': {
    TICKET_STATUS_CHANGED: isStatus,
    TICKET_CLOSED: isStatus,
    TICKET_REOPENED: isStatus,
  },
  'ticket.close': { TICKET_STATUS_CHANGED: isClosed, TICKET_CLOSED: isClosed },
  'ticket.set_priority': { TICKET_PRIORITY_CHANGED: ({ priority }, asked) => asked.priority === priority },
  'ticket.set_type': { TICKET_TYPE_CHANGED: ({ type }, asked) => asked.type === type },
  'ticket.set_queue': { TICKET_QUEUE_CHANGED: ({ board }, asked) => asked.queue === board },
  'ticket.assign': { TICKET_ASSIGNEE_CHANGED: isAssigned },
  'ticket.set_contact': {
    TICKET_CONTACT_CHANGED: ({ contact_id }, asked) => asked.contact_id === contact_id,
  },
  'ticket.merge': { TICKET_MERGED: isMerged, TICKET_STATUS_CHANGED: isMerged, TICKET_CLOSED: isMerged },
}

const objectOf = (value: unknown): Asked => (isObject(value) ? value : {})

/** The ids of notes that the writes made, and the texts of those whose answer has not come yet. */
function notesOf(writes: readonly OwnWrite[]) {
  const answered = writes.flatMap(({ result }) => {
    const { note_id, message_id } = objectOf(result)
    return [note_id, message_id].filter((id) => typeof id === 'string')
  })
  const asked = writes.flatMap(({ result, arguments: args }) => {
    const { text } = objectOf(args)
    return result === null && typeof text === 'string' ? [text.trim()] : []
  })
  return { ids: new Set(answered), texts: new Set(asked) }
}

/** False for notes in the name of the contact, in which the service writes none: customers repeat what was said to them. */
const tellsByText = (code: ChangeCode): boolean => code !== 'TICKET_CUSTOMER_REPLIED'

/** The ids of the technicians to whom the writes gave the ticket. */
export const techniciansOf = (writes: readonly OwnWrite[]): number[] =>
  writes.flatMap(({ tool_name, arguments: args }) => {
    const { technician_id } = objectOf(args)
    return tool_name === 'ticket.assign' && typeof technician_id === 'number' ? [technician_id] : []
  })

/** The codes of the changes that agents made, of those of a ticket. */
export function ownChangesOfTicket(
  changes: readonly Change[],
  { ticket }: Pick<ReadTicket, 'ticket'>,
  writes: readonly OwnWrite[],
  psa_ids: PsaIds,
): ChangeCode[] {
  const notes = notesOf(writes)
  const isOwn = ({ code, notes: written }: Change): boolean => {
    if (code === 'TICKET_CREATED') return ticket.made_by_key != null
    if (written)
      return written.every(
        ({ note_id, text, made_by_key }) =>
          made_by_key != null ||
          notes.ids.has(note_id) ||
          (tellsByText(code) && notes.texts.has(text.trim())),
      )
    // A write on what hangs off the ticket, such as a time entry, changes when it was last updated.
    if (code === 'TICKET_OTHER_CHANGED') return writes.length > 0
    return writes.some(({ tool_name, arguments: args }) => {
      const made = MAKES[tool_name]
      return made && Object.hasOwn(made, code) && made[code]?.(ticket, objectOf(args), psa_ids)
    })
  }
  return changes.filter(isOwn).map(({ code }) => code)
}

/** The same of a time entry: those of agents name no technician. */
export const ownChangesOfTimeEntry = (
  changes: readonly Change[],
  entry: Pick<TimeEntry, 'technician_psa_id'> | null,
  writes: readonly OwnWrite[],
): ChangeCode[] =>
  changes.flatMap(({ code }) => {
    const is_own =
      code === 'TIME_ENTRY_CREATED'
        ? entry?.technician_psa_id === null
        : code === 'TIME_ENTRY_UPDATED' && writes.length > 0
    return is_own ? [code] : []
  })
