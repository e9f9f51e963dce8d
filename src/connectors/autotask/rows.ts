/** Tickets, notes and time entries of Autotask PSA, as they are answered and as the port has them. Sources as in `api.ts`. */
import { z } from 'zod'
import { amount, maybe, reference, text } from '../http/forms.ts'
import { markersIn } from '../markers.ts'
import type { PsaNote, PsaTicket, PsaTimeEntry } from '../psa.ts'
import { type Choices, fullName, IDENTIFIED, idOrNone, instant } from './answers.ts'
import { type Api, rowsOf } from './api.ts'
import { CONTRACT } from './companies.ts'
import { CONTACT, RESOURCE, RESOURCE_FIELDS } from './people.ts'

/** An entry has at most a day. [HP TimeEntriesEntity] */
const MAX_HOURS = 24

/** [AC, GO] */
export const TICKET = IDENTIFIED.extend({
  ticketNumber: text,
  title: text,
  description: text,
  resolution: text,
  status: amount,
  priority: amount,
  queueID: amount,
  ticketType: amount,
  issueType: amount,
  companyID: idOrNone,
  contactID: idOrNone,
  assignedResourceID: reference,
  assignedResourceRoleID: reference,
  externalID: text,
  createDate: text,
  lastActivityDate: text,
  completedDate: text,
})

export type TicketRow = z.infer<typeof TICKET>

/** The fields of tickets in lists, which have neither description nor resolution. */
export const LISTED = [
  'id',
  'ticketNumber',
  'title',
  'status',
  'priority',
  'queueID',
  'ticketType',
  'issueType',
  'companyID',
  'contactID',
  'assignedResourceID',
  'externalID',
  'createDate',
  'lastActivityDate',
  'completedDate',
]

export const NOTE = IDENTIFIED.extend({
  ticketID: idOrNone,
  title: text,
  description: text,
  publish: amount,
  creatorResourceID: reference,
  /** A contact wrote it, by the client portal or by e-mail. [WY] */
  createdByContactID: idOrNone,
  createDateTime: text,
})

export type NoteRow = z.infer<typeof NOTE>

export const TIME_ENTRY = IDENTIFIED.extend({
  ticketID: idOrNone,
  resourceID: reference,
  contractID: idOrNone,
  hoursWorked: maybe(z.number().min(0).max(MAX_HOURS)),
  summaryNotes: text,
  internalNotes: text,
  dateWorked: text,
  startDateTime: text,
  createDateTime: text,
  lastModifiedDateTime: text,
})

export type TimeEntryRow = z.infer<typeof TIME_ENTRY>

/** These two alone are the same in every database. [HP TicketsEntity, DA] */
export const NEW = 1
export const COMPLETE = 5

/** “All Autotask Users”, the contacts too. The other values are for people of the MSP. [HP TicketNotesEntity, WY] */
export const PUBLISHED = 1

const idText = (id: number | null | undefined): string | null => (id == null ? null : String(id))

/** The people’s page of a ticket. [HP ExecuteCommand API] */
export const urlOf = (web: string, id: number): string =>
  `${web}/Autotask/AutotaskExtend/ExecuteCommand.aspx?Code=OpenTicketDetail&TicketID=${id}`

function ticketOf(row: TicketRow, choices: Choices, web: string | null): PsaTicket {
  const label = (field: string, value: number | null | undefined): string | null =>
    choices[field]?.find((choice) => choice.value === value)?.label ?? null
  const updated_at = instant(row.lastActivityDate ?? row.createDate)
  const [made_by] = markersIn(row.externalID) ?? []
  return {
    ticket_id: String(row.id),
    number: row.ticketNumber ?? String(row.id),
    title: row.title ?? '',
    description: row.description || null,
    status: label('status', row.status) ?? '',
    priority: label('priority', row.priority),
    board: label('queueID', row.queueID),
    type: label('ticketType', row.ticketType),
    // Contract silent: the category is the issue type. A ticket category is the form of the ticket and not what it is about.
    category: label('issueType', row.issueType),
    psa_company_id: idText(row.companyID),
    contact_id: idText(row.contactID),
    assignee_psa_id: row.assignedResourceID ?? null,
    url: web && urlOf(web, row.id),
    created_at: instant(row.createDate),
    updated_at,
    closed_at: row.status === COMPLETE ? (row.completedDate ? instant(row.completedDate) : updated_at) : null,
    resolution: row.resolution || null,
    // No operation merges, and no field tells of it. [SW]
    merged_into_ticket_id: null,
    ...(made_by && { made_by_key: made_by }),
  }
}

export async function ticketsFrom(api: Api, rows: readonly TicketRow[]): Promise<PsaTicket[]> {
  if (rows.length === 0) return []
  const [choices, { web }] = await Promise.all([api.choices('Tickets'), api.zone()])
  return rows.map((row) => ticketOf(row, choices, web))
}

/** The API user is the author of every note that it writes: the title names who really wrote it, and has the marker. */
const TITLE = /^(.*) \[asp:([0-9a-f]{14})\]$/s
/** [HP TicketNotesEntity] */
const MAX_TITLE = 250

export function titleOf(author: string, marker: string): string {
  const end = ` [asp:${marker}]`
  return `${author.replace(/\s+/g, ' ').slice(0, MAX_TITLE - end.length)}${end}`
}

/** The marker of a note that the API wrote. A contact can write any title: it does not count there. */
export const markerIn = ({ title, createdByContactID }: NoteRow): string | null =>
  createdByContactID == null ? (TITLE.exec(title ?? '')?.[2] ?? null) : null

const resourceNames = (api: Api): Promise<ReadonlyMap<number, string>> =>
  api.namesBy(async () => {
    const rows = await api.all(RESOURCE, 'Resources', [], RESOURCE_FIELDS)
    return new Map(rows.map((row) => [row.id, fullName(row)]))
  })

export async function notesFrom(api: Api, rows: readonly NoteRow[]): Promise<PsaNote[]> {
  const by_contacts = rows.map(({ createdByContactID }) => createdByContactID)
  const is_by_resource = rows.some((row) => row.createdByContactID == null && markerIn(row) === null)
  const [contacts, resources] = await Promise.all([
    rowsOf(api, CONTACT, 'Contacts', by_contacts, ['id', 'firstName', 'lastName']),
    is_by_resource ? resourceNames(api) : new Map<number, string>(),
  ])
  return rows.map((row) => {
    const { createdByContactID: contact, creatorResourceID: resource } = row
    const marker = markerIn(row)
    const author =
      contact != null
        ? fullName(contacts.get(contact) ?? {})
        : marker
          ? TITLE.exec(row.title ?? '')?.[1]
          : resources.get(resource ?? -1)
    return {
      note_id: String(row.id),
      ticket_id: String(row.ticketID ?? ''),
      author_name: author ?? '',
      author_side: contact != null ? 'CONTACT' : resource != null || marker ? 'TECHNICIAN' : null,
      author_contact_id: idText(contact),
      is_internal: row.publish !== PUBLISHED,
      text: row.description || row.title || '',
      created_at: instant(row.createDateTime),
      ...(marker && { made_by_key: marker }),
    }
  })
}

export async function timeEntriesFrom(api: Api, rows: readonly TimeEntryRow[]): Promise<PsaTimeEntry[]> {
  // An entry has the ids of its ticket and contract alone. [AC]
  const [tickets, contracts] = await Promise.all([
    rowsOf(
      api,
      TICKET,
      'Tickets',
      rows.map(({ ticketID }) => ticketID),
      ['id', 'companyID'],
    ),
    rowsOf(
      api,
      CONTRACT,
      'Contracts',
      rows.map(({ contractID }) => contractID),
      ['id', 'contractName'],
    ),
  ])
  return rows.map((row) => ({
    time_entry_id: String(row.id),
    ticket_id: String(row.ticketID ?? ''),
    psa_company_id: idText(tickets.get(row.ticketID ?? -1)?.companyID),
    technician_psa_id: row.resourceID ?? null,
    minutes: Math.round((row.hoursWorked ?? 0) * 60),
    note: row.summaryNotes || null,
    agreement: contracts.get(row.contractID ?? -1)?.contractName ?? null,
    returned_reason: null,
    started_at: instant(row.startDateTime ?? row.dateWorked),
    created_at: instant(row.createDateTime),
  }))
}
