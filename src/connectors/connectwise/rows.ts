/** Tickets, notes and time entries as ConnectWise PSA answers with them. Sources as in `api.ts`. */
import { z } from 'zod'
import { amount, count, flag, maybe, NAMED, type Named, reference, text } from '../http/forms.ts'
import { markersIn, parseSigned } from '../markers.ts'
import type { PsaNote, PsaTicket, PsaTimeEntry } from '../psa.ts'
import { type Api, instant } from './api.ts'

const INFO = maybe(z.object({ dateEntered: text, lastUpdated: text }))

export const TICKET = z.object({
  id: count,
  summary: text,
  board: maybe(NAMED),
  status: maybe(NAMED),
  priority: maybe(NAMED),
  type: maybe(NAMED),
  subType: maybe(NAMED),
  company: maybe(NAMED),
  contact: maybe(NAMED),
  owner: maybe(NAMED),
  closedFlag: flag,
  closedDate: text,
  mergedParentTicket: maybe(NAMED),
  externalXRef: text,
  _info: INFO,
})

export type TicketRow = z.infer<typeof TICKET>

/** Flags say where a note stands: discussion (the contact reads it), internal analysis, resolution. [OA, DJ] */
export const NOTE = z.object({
  id: count,
  text,
  detailDescriptionFlag: flag,
  internalAnalysisFlag: flag,
  resolutionFlag: flag,
  member: maybe(NAMED),
  contact: maybe(NAMED),
  createdBy: text,
  dateCreated: text,
})

export type NoteRow = z.infer<typeof NOTE>

export const TIME_ENTRY = z.object({
  id: count,
  chargeToId: reference,
  chargeToType: text,
  company: maybe(NAMED),
  member: maybe(NAMED),
  actualHours: amount,
  notes: text,
  internalNotes: text,
  agreement: maybe(NAMED),
  timeStart: text,
  _info: INFO,
})

export type TimeEntryRow = z.infer<typeof TIME_ENTRY>

export const STATUS = NAMED.extend({ closedStatus: flag, sortOrder: amount, inactive: flag })

export type StatusRow = z.infer<typeof STATUS>

const textOf = (named: Named | undefined): string | null => named?.name ?? null
const idText = (named: Named | undefined): string | null => (named ? String(named.id) : null)

/** The description is the first note of the discussion, and the resolution the last that is one. [OA, DJ] */
function textsOf(notes: readonly NoteRow[]): Pick<PsaTicket, 'description' | 'resolution'> {
  const description = notes.find(
    (note) => note.detailDescriptionFlag && parseSigned(note.text ?? '').marker === null,
  )
  const resolution = notes.findLast(({ resolutionFlag }) => resolutionFlag)
  return {
    description: description?.text ?? null,
    resolution: resolution ? parseSigned(resolution.text ?? '').text : null,
  }
}

/** The page of a ticket for people, in the form of the vendor’s own links (unverified). */
export function urlOf({ site, company }: Api, id: number): string {
  const people = new URL(site)
  // People’s pages are at the host without `api-`.
  people.hostname = people.hostname.replace(/^api-/, '')
  people.pathname = '/v4_6_release/services/system_io/router/openrecord.rails'
  const query = { recordType: 'ServiceFv', recid: String(id), companyName: company }
  people.search = new URLSearchParams(query).toString()
  return people.href
}

export function ticketOf(api: Api, row: TicketRow, notes: readonly NoteRow[] = []): PsaTicket {
  const updated_at = instant(row._info?.lastUpdated)
  const [made_by] = markersIn(row.externalXRef) ?? []
  return {
    ticket_id: String(row.id),
    number: String(row.id),
    title: row.summary ?? '',
    status: row.status?.name ?? '',
    priority: textOf(row.priority),
    board: textOf(row.board),
    type: textOf(row.type),
    category: textOf(row.subType),
    psa_company_id: idText(row.company),
    contact_id: idText(row.contact),
    assignee_psa_id: row.owner?.id ?? null,
    url: urlOf(api, row.id),
    created_at: instant(row._info?.dateEntered),
    updated_at,
    closed_at: row.closedFlag ? (row.closedDate ? instant(row.closedDate) : updated_at) : null,
    merged_into_ticket_id: idText(row.mergedParentTicket),
    names: { company: row.company?.name, contact: row.contact?.name, assignee: row.owner?.name },
    ...(made_by && { made_by_key: made_by }),
    ...textsOf(notes),
  }
}

export function noteOf(ticket_id: string, row: NoteRow): PsaNote {
  const { text, author, marker } = parseSigned(row.text ?? '')
  return {
    note_id: String(row.id),
    ticket_id,
    // A contact can write any text: no signature counts in what a contact wrote.
    author_name: row.contact?.name ?? author ?? row.member?.name ?? row.createdBy ?? '',
    // The system itself writes notes that name neither.
    author_side: row.contact ? 'CONTACT' : row.member || marker ? 'TECHNICIAN' : null,
    author_contact_id: idText(row.contact),
    is_internal: !(row.detailDescriptionFlag || row.resolutionFlag),
    text: row.contact ? (row.text ?? '') : text,
    created_at: instant(row.dateCreated),
    ...(marker && !row.contact && { made_by_key: marker }),
  }
}

export const timeEntryOf = (row: TimeEntryRow): PsaTimeEntry => ({
  time_entry_id: String(row.id),
  ticket_id: String(row.chargeToId ?? ''),
  psa_company_id: idText(row.company),
  technician_psa_id: row.member?.id ?? null,
  minutes: Math.round((row.actualHours ?? 0) * 60),
  note: row.notes || null,
  agreement: textOf(row.agreement),
  returned_reason: null,
  started_at: instant(row.timeStart),
  created_at: instant(row._info?.dateEntered),
})
