/**
 * Writes to ConnectWise PSA. The vendor has no idempotency keys: each write but a first try looks for its marker first. Tickets have markers
 * in `externalXRef`, notes in their text, time entries in their internal notes. Sources as in `api.ts`.
 */

import { z } from 'zod'
import { NAMED, type Named, partOf } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import {
  type ChangeWrite,
  hasChanges,
  isMadeBy,
  markedOnce,
  markerOf,
  markersIn,
  notFound,
  parseSigned,
  signed,
  withMarker,
} from '../markers.ts'
import { need, PortRefusal } from '../port.ts'
import type { Psa, PsaTicket, PsaWrites } from '../psa.ts'
import { type Api, type Patch, SYSTEM } from './api.ts'
import { CONTACT } from './people.ts'
import {
  NOTE,
  type StatusRow,
  TICKET,
  TIME_ENTRY,
  type TicketRow,
  type TimeEntryRow,
  timeEntryOf,
} from './rows.ts'
import { noteRows, statusesOf, ticketRow, timeEntryRow, wholeTicket } from './tickets.ts'

type Changes = Parameters<Psa['updateTicket']>[1]

/** A summary has at most 100 characters, and `externalXRef`. [OA] */
const MAX_SUMMARY = 100
const MAX_REFERENCE = 100
const MS_PER_MINUTE = 60_000
/** The time until a search finds a new ticket. Unverified. */
const SEARCHED_AFTER_MS = 5000

const replace = (path: string, { id }: Pick<Named, 'id'>): Patch => ({ op: 'replace', path, value: { id } })

/** The company of a row, which each ticket and each time entry has. */
const companyIdOf = ({ company }: Pick<TicketRow, 'company'>): number => partOf(SYSTEM, 'company', company).id

const boardIdOf = ({ board }: Pick<TicketRow, 'board'>): number => partOf(SYSTEM, 'board', board).id

/** The choice of that name. A ticket cannot be without some: `null` is refused. */
async function choice(api: Api, path: string, name: string | null): Promise<Named> {
  const rows = await api.all(NAMED, path)
  return need(
    rows.find((row) => row.name === name),
    'NOT_SUPPORTED',
  )
}

async function checkMember(api: Api, psa_id: number): Promise<Named> {
  return need(await api.get(NAMED, `/system/members/${psa_id}`), 'TECHNICIAN_NOT_FOUND')
}

async function checkContact(api: Api, contact_id: string, company_id?: number): Promise<Pick<Named, 'id'>> {
  const id = need(idOf(contact_id), 'CONTACT_NOT_FOUND')
  const contact = await api.get(CONTACT, `/company/contacts/${id}`)
  if (!contact || (company_id !== undefined && contact.company?.id !== company_id))
    throw new PortRefusal('CONTACT_NOT_FOUND')
  return contact
}

async function boardPatches(api: Api, row: TicketRow, changes: Changes): Promise<Patch[]> {
  const { board: name, status, type, category } = changes
  const patches: Patch[] = []
  let { board } = row
  if (name !== undefined) {
    board = await choice(api, '/service/boards', name)
    patches.push(replace('board', board))
  }
  if (status !== undefined) {
    // A status belongs to a board. [OA]
    const found = (await statusesOf(api, boardIdOf({ board }))).find((one: StatusRow) => one.name === status)
    patches.push(replace('status', need(found, 'STATUS_NOT_FOUND')))
  }
  for (const [path, value, from] of [
    ['type', type, 'types'],
    ['subType', category, 'subtypes'],
  ] as const) {
    if (value === null) patches.push({ op: 'remove', path })
    else if (value !== undefined) {
      const choices = `/service/boards/${boardIdOf({ board })}/${from}`
      patches.push(replace(path, await choice(api, choices, value)))
    }
  }
  return patches
}

async function patchesOf(api: Api, row: TicketRow, changes: Changes): Promise<Patch[]> {
  const { title, priority, contact_id, assignee_psa_id } = changes
  const patches = await boardPatches(api, row, changes)
  if (title !== undefined)
    patches.push({ op: 'replace', path: 'summary', value: title.slice(0, MAX_SUMMARY) })
  if (priority !== undefined)
    patches.push(replace('priority', await choice(api, '/service/priorities', priority)))
  if (contact_id === null) patches.push({ op: 'remove', path: 'contact' })
  else if (contact_id !== undefined)
    patches.push(replace('contact', await checkContact(api, contact_id, companyIdOf(row))))
  if (assignee_psa_id === null) patches.push({ op: 'remove', path: 'owner' })
  else if (assignee_psa_id !== undefined)
    patches.push(replace('owner', await checkMember(api, assignee_psa_id)))
  return patches
}

export function writesOf(api: Api, now: Date, is_first_try: boolean): PsaWrites {
  const once = <Result>(key: string, work: (marker: string) => Promise<Result>): Promise<Result> =>
    markedOnce(api, key, work)

  const rowOf = async (ticket_id: string): Promise<TicketRow> =>
    need(await ticketRow(api, ticket_id), 'TICKET_NOT_FOUND')

  const entryOf = async (time_entry_id: string): Promise<TimeEntryRow> =>
    need(await timeEntryRow(api, time_entry_id), 'TIME_ENTRY_NOT_FOUND')

  const whole = async (ticket_id: string): Promise<PsaTicket> =>
    need(await wholeTicket(api, ticket_id), 'TICKET_NOT_FOUND')

  const markedNote = async (id: number, marker: string) =>
    (await noteRows(api, id)).find((note) => parseSigned(note.text ?? '').marker === marker)

  /** The note of the marker on the ticket, which is written if there is none. */
  async function writeNote(id: number, author: string, text: string, marker: string, flags: object) {
    const known = is_first_try ? undefined : await markedNote(id, marker)
    if (known) return known
    const note = { text: signed(text, author, marker), ...flags }
    return await api.post(NOTE, `/service/tickets/${id}/notes`, note, 'TICKET_NOT_FOUND')
  }

  const markedEntry = async (ticket: number, marker: string): Promise<TimeEntryRow | undefined> => {
    const of_ticket = `chargeToType="ServiceTicket" and chargeToId=${ticket}`
    const entries = await api.all(TIME_ENTRY, '/time/entries', { conditions: of_ticket })
    return entries.find(({ internalNotes }) => markersIn(internalNotes)?.includes(marker))
  }

  const createdTicket = async (marker: string): Promise<TicketRow | undefined> => {
    const query = { conditions: `externalXRef contains "${marker}"`, pageSize: 1 }
    return (await api.page(TICKET, '/service/tickets', query))[0]
  }

  async function isChangeMade(marker: string, write: ChangeWrite): Promise<boolean> {
    if ('time_entry_id' in write) {
      const row = await timeEntryRow(api, write.time_entry_id)
      if (!row) return false
      if (markersIn(row.internalNotes)?.includes(marker)) return true
      return write.agreement !== null && row.agreement?.name === write.agreement
    }
    const row = await ticketRow(api, write.ticket_id)
    if (!row) return false
    if ('into_ticket_id' in write) return row.mergedParentTicket?.id === idOf(write.into_ticket_id)
    if (markersIn(row.externalXRef)?.includes(marker)) return true
    // The field can have the reference of another system, or no room for the marker.
    const ticket = await wholeTicket(api, write.ticket_id)
    return ticket !== null && hasChanges(ticket, write.changes)
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
        const flags = { detailDescriptionFlag: !is_internal, internalAnalysisFlag: is_internal }
        const note = await writeNote(id, author_name, text, marker, flags)
        return { note_id: String(note.id) }
      }),
    addTimeEntry: (ticket_id, { technician_psa_id, minutes, note, started_at }, key) =>
      once(key, async (marker) => {
        const { id } = await rowOf(ticket_id)
        // An entry without a member gets the API member, who did not do the work. [OA]
        const member = await checkMember(api, need(technician_psa_id, 'NOT_SUPPORTED'))
        const known = is_first_try ? undefined : await markedEntry(id, marker)
        const second = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`
        const entry = {
          chargeToId: id,
          chargeToType: 'ServiceTicket',
          member: { id: member.id },
          timeStart: second(started_at),
          timeEnd: second(new Date(started_at.getTime() + minutes * MS_PER_MINUTE)),
          notes: note ?? '',
          internalNotes: withMarker([], marker, MAX_REFERENCE),
        }
        return timeEntryOf(known ?? (await api.post(TIME_ENTRY, '/time/entries', entry)))
      }),
    updateTicket: (ticket_id, changes, key) =>
      once(key, async (marker) => {
        const row = await rowOf(ticket_id)
        const markers = markersIn(row.externalXRef)
        if (markers?.includes(marker)) return await whole(ticket_id)
        const patches = await patchesOf(api, row, changes)
        const { resolution } = changes
        if (resolution) {
          // The patch marks the write as made: the note comes before it.
          const flags = { detailDescriptionFlag: false, internalAnalysisFlag: false, resolutionFlag: true }
          await writeNote(row.id, '', resolution, marker, flags)
        }
        if (markers) {
          // The first place is of the write that made the ticket: another one made this.
          const before = markers.length > 0 ? markers : ['']
          const value = withMarker(before, marker, MAX_REFERENCE)
          patches.push({ op: 'replace', path: 'externalXRef', value })
        }
        if (patches.length > 0)
          await api.patch(NAMED, `/service/tickets/${row.id}`, patches, 'TICKET_NOT_FOUND')
        return await whole(ticket_id)
      }),
    createTicket: ({ psa_company_id, contact_id, title, description, board }, key) =>
      once(key, async (marker) => {
        const known = is_first_try ? undefined : await createdTicket(marker)
        if (known) return await whole(String(known.id))
        const company = need(idOf(psa_company_id), 'COMPANY_NOT_FOUND')
        need(await api.get(NAMED, `/company/companies/${company}`), 'COMPANY_NOT_FOUND')
        const contact = contact_id === null ? null : await checkContact(api, contact_id, company)
        const on = board === null ? null : await choice(api, '/service/boards', board)
        const made = await api.post(NAMED, '/service/tickets', {
          summary: title.slice(0, MAX_SUMMARY),
          company: { id: company },
          ...(contact && { contact: { id: contact.id } }),
          ...(on && { board: { id: on.id } }),
          initialDescription: description,
          externalXRef: withMarker([], marker, MAX_REFERENCE),
        })
        return await whole(String(made.id))
      }),
    mergeTicket: (ticket_id, into_ticket_id, key) =>
      once(key, async () => {
        if (ticket_id === into_ticket_id) throw new PortRefusal('TICKET_MERGED_INTO_ITSELF')
        const [row, stays] = [await rowOf(ticket_id), await rowOf(into_ticket_id)]
        if (row.mergedParentTicket?.id !== stays.id) {
          const closed = (await statusesOf(api, boardIdOf(row))).findLast(({ closedStatus }) => closedStatus)
          const { id } = need(closed, 'STATUS_NOT_FOUND')
          // The ids are numbers, not references. [OA]
          await api.post(z.unknown(), `/service/tickets/${stays.id}/merge`, {
            mergeTicketIds: [row.id],
            status: { id },
          })
        }
        return await whole(ticket_id)
      }),
    setAgreement: (time_entry_id, agreement, key) =>
      once(key, async (marker) => {
        const row = await entryOf(time_entry_id)
        const markers = markersIn(row.internalNotes)
        if (markers?.includes(marker)) return timeEntryOf(row)
        const agreements = await api.all(NAMED, '/finance/agreements', {
          conditions: `company/id=${companyIdOf(row)} and cancelledFlag=false`,
        })
        const found = need(
          agreements.find(({ name }) => name === agreement),
          'AGREEMENT_NOT_FOUND',
        )
        const patches = [replace('agreement', found)]
        if (markers)
          patches.push({
            op: 'replace',
            path: 'internalNotes',
            value: withMarker(markers, marker, MAX_REFERENCE),
          })
        return timeEntryOf(
          await api.patch(TIME_ENTRY, `/time/entries/${row.id}`, patches, 'TIME_ENTRY_NOT_FOUND'),
        )
      }),
    // A whole time sheet can be rejected, without a reason, but no single entry. [OA]
    returnTimeEntry: () => Promise.reject(new PortRefusal('NOT_SUPPORTED')),
    sendMessage: ({ contact_id, ticket_id, author_name, subject, body }, key) =>
      once(key, async (marker) => {
        // Nothing sends an e-mail but a note on a ticket, by the rules of the PSA. [OA]
        const id = need(idOf(need(ticket_id, 'NOT_SUPPORTED')), 'TICKET_NOT_FOUND')
        await checkContact(api, contact_id)
        const flags = { detailDescriptionFlag: true, internalAnalysisFlag: false, processNotifications: true }
        const note = await writeNote(id, author_name, `${subject}\n\n${body}`, marker, flags)
        return { message_id: String(note.id) }
      }),
    async outcomeOf(key, write, ends_at = now) {
      if (await isMadeBy(finders, markerOf(api.connection_id, key), write)) return 'MADE'
      return notFound({ now, ends_at }, write === 'NEW_TICKET' ? SEARCHED_AFTER_MS : 0)
    },
  }
}
