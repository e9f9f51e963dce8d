/**
 * Writes to Autotask PSA. The vendor has no idempotency keys: each write but a first try looks for its marker first. Tickets have markers in
 * `externalID`, notes in their title, time entries in their internal notes. Sources as in `api.ts`.
 */
import { VendorFailure } from '../http/failure.ts'
import { partOf } from '../http/forms.ts'
import {
  type ChangeWrite,
  hasChanges,
  isMadeBy,
  markedOnce,
  markerOf,
  markersIn,
  notFound,
  withMarker,
} from '../markers.ts'
import { need, PortRefusal } from '../port.ts'
import type { PsaTicket, PsaTimeEntry, PsaWrites } from '../psa.ts'
import type { Choice } from './answers.ts'
import { type Api, SYSTEM } from './api.ts'
import { contractsOf } from './companies.ts'
import { type Filter, idOf } from './query.ts'
import { RefusedRequest } from './refusals.ts'
import {
  markerIn,
  type NoteRow,
  PUBLISHED,
  TIME_ENTRY,
  type TicketRow,
  type TimeEntryRow,
  timeEntriesFrom,
  titleOf,
} from './rows.ts'
import { assignment, changedFields, markedWith, newTicket } from './ticket-writes.ts'
import { entryRow, entryRows, noteRows, ticketRow, wholeTicket } from './tickets.ts'

/** The calls that no operation of the vendor can do. [SW] */
export const UNSUPPORTED = ['mergeTicket', 'returnTimeEntry', 'sendMessage'] as const

const notSupported = (): Promise<never> => Promise.reject(new PortRefusal('NOT_SUPPORTED'))

/** For all people of the MSP; 4 is for those of co-managed customers too. [WY] */
const INTERNAL = 2
/** Internal notes of time entries take thousands of characters: room for the markers of so many writes is enough. */
const MAX_INTERNAL_NOTES = 200
/** `externalID` of tickets has at most 50 characters (unverified): room for the markers of three writes. */
const MARKER_DIGITS = 14
const MS_PER_MINUTE = 60_000
/** The time until a query finds what was made. Unverified. */
const QUERIED_AFTER_MS = 5000
/** An entry has more than no time, and at most a day. [HP TimeEntriesEntity] */
const MAX_MINUTES = 1440

/** The kind of note that people write, and not the system. */
const noteType = (choices: readonly Choice[] = []): number => {
  const active = choices.filter(({ is_active }) => is_active)
  const found = active.find(({ is_default }) => is_default) ?? active.find(({ is_system }) => !is_system)
  return need(found ?? active[0], 'NOT_SUPPORTED').value
}

const has = (field: string, marker: string): Filter => ({ op: 'contains', field, value: marker })

export function writesOf(api: Api, now: Date, is_first_try: boolean): PsaWrites {
  const once = <Result>(key: string, work: (marker: string) => Promise<Result>): Promise<Result> =>
    markedOnce(api, key, work, MARKER_DIGITS)

  const rowOf = async (ticket_id: string): Promise<TicketRow> =>
    need(await ticketRow(api, ticket_id), 'TICKET_NOT_FOUND')

  /** The thing that a write has just made. It is not shown yet: nobody knows what became of the write. */
  function shown<Thing>(thing: Thing | null | undefined): Thing {
    if (thing == null) throw new VendorFailure('AUTOTASK_PSA does not show yet what it made')
    return thing
  }

  const whole = async (ticket_id: string): Promise<PsaTicket> => shown(await wholeTicket(api, ticket_id))

  const markedNote = async (ticket: number, marker: string): Promise<NoteRow | undefined> =>
    (await noteRows(api, [ticket])).find((row) => markerIn(row) === marker)

  const entryFrom = async (row: TimeEntryRow): Promise<PsaTimeEntry> =>
    shown((await timeEntriesFrom(api, [row]))[0])

  const markedEntry = async (ticket: number, marker: string): Promise<TimeEntryRow | undefined> =>
    (await entryRows(api, ticket)).find(({ internalNotes }) => markersIn(internalNotes)?.includes(marker))

  const createdTicket = async (marker: string) =>
    (await api.first('Tickets', [has('externalID', marker)], 1))[0]

  async function isChangeMade(marker: string, write: ChangeWrite): Promise<boolean> {
    if ('time_entry_id' in write) {
      const row = await entryRow(api, write.time_entry_id)
      if (!row) return false
      if (markersIn(row.internalNotes)?.includes(marker)) return true
      return write.agreement !== null && (await entryFrom(row)).agreement === write.agreement
    }
    const row = await ticketRow(api, write.ticket_id)
    if (!row || 'into_ticket_id' in write) return false
    if (markersIn(row.externalID)?.includes(marker)) return true
    // The field can have the reference of another system, or no room for the marker.
    return hasChanges(await whole(write.ticket_id), write.changes)
  }

  const finders = {
    newTicket: createdTicket,
    note: markedNote,
    timeEntry: markedEntry,
    changed: isChangeMade,
  }

  return {
    addNote: (ticket_id, { author_name, is_internal, text }, key) =>
      once(key, async (marker) => {
        const id = need(idOf(ticket_id), 'TICKET_NOT_FOUND')
        const known = is_first_try ? undefined : await markedNote(id, marker)
        if (known) return { note_id: String(known.id) }
        const choices = await api.choices('TicketNotes')
        const note = {
          title: titleOf(author_name, marker),
          description: text,
          noteType: noteType(choices.noteType),
          publish: is_internal ? INTERNAL : PUBLISHED,
        }
        try {
          // Notes are written below their ticket. [SW, N8]
          return { note_id: String(await api.post(`/Tickets/${id}/Notes`, note)) }
        } catch (error) {
          // The status of a refusal does not tell why.
          if (error instanceof RefusedRequest || error instanceof PortRefusal) await rowOf(ticket_id)
          throw error
        }
      }),
    addTimeEntry: (ticket_id, { technician_psa_id, minutes, note, started_at }, key) =>
      once(key, async (marker) => {
        const { id, assignedResourceRoleID } = await rowOf(ticket_id)
        const technician = need(technician_psa_id, 'NOT_SUPPORTED')
        const { resource, role } = await assignment(api, technician, assignedResourceRoleID)
        if (!(minutes > 0 && minutes <= MAX_MINUTES)) throw new PortRefusal('NOT_SUPPORTED')
        const known = is_first_try ? undefined : await markedEntry(id, marker)
        if (known) return await entryFrom(known)
        const entry_id = await api.post('/TimeEntries', {
          ticketID: id,
          resourceID: resource,
          roleID: role,
          dateWorked: started_at.toISOString(),
          startDateTime: started_at.toISOString(),
          endDateTime: new Date(started_at.getTime() + minutes * MS_PER_MINUTE).toISOString(),
          summaryNotes: note ?? '',
          internalNotes: withMarker([], marker, MAX_INTERNAL_NOTES),
        })
        return await entryFrom(shown(await api.get(TIME_ENTRY, 'TimeEntries', entry_id)))
      }),
    updateTicket: (ticket_id, changes, key) =>
      once(key, async (marker) => {
        const row = await rowOf(ticket_id)
        if (markersIn(row.externalID)?.includes(marker)) return await whole(ticket_id)
        const fields = await changedFields(api, row, changes)
        const externalID = markedWith(row, marker)
        await api.patch('Tickets', { id: row.id, ...fields, ...(externalID !== null && { externalID }) })
        return await whole(ticket_id)
      }),
    createTicket: (draft, key) =>
      once(key, async (marker) => {
        const known = is_first_try ? undefined : await createdTicket(marker)
        const id = known?.id ?? (await api.post('/Tickets', await newTicket(api, draft, marker, now)))
        return await whole(String(id))
      }),
    mergeTicket: notSupported,
    setAgreement: (time_entry_id, agreement, key) =>
      once(key, async (marker) => {
        const row = need(await entryRow(api, time_entry_id), 'TIME_ENTRY_NOT_FOUND')
        const markers = markersIn(row.internalNotes)
        if (markers?.includes(marker)) return await entryFrom(row)
        const ticket = await rowOf(String(row.ticketID))
        const contract = need(
          (await contractsOf(api, partOf(SYSTEM, 'companyID', ticket.companyID))).find(
            ({ contractName }) => contractName === agreement,
          ),
          'AGREEMENT_NOT_FOUND',
        )
        await api.patch('TimeEntries', {
          id: row.id,
          contractID: contract.id,
          ...(markers && { internalNotes: withMarker(markers, marker, MAX_INTERNAL_NOTES) }),
        })
        return await entryFrom(shown(await entryRow(api, time_entry_id)))
      }),
    returnTimeEntry: notSupported,
    sendMessage: notSupported,
    async outcomeOf(key, write, ends_at = now) {
      if (await isMadeBy(finders, markerOf(api.connection_id, key, MARKER_DIGITS), write)) return 'MADE'
      const is_read_by_id = typeof write === 'object' && ('ticket_id' in write || 'time_entry_id' in write)
      return notFound({ now, ends_at }, is_read_by_id ? 0 : QUERIED_AFTER_MS)
    },
  }
}
