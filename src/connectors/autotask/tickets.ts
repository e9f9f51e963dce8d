/** Reads of tickets, notes and time entries of Autotask PSA. Sources as in `api.ts`. */

import { amount, text } from '../http/forms.ts'
import {
  MAX_TICKETS,
  MAX_TIME_ENTRIES,
  type PsaNote,
  type PsaTicket,
  type PsaTicketReads,
  type PsaTicketStatus,
} from '../psa.ts'
import { hasWords, wordsOf } from '../words.ts'
import { type Choice, IDENTIFIED } from './answers.ts'
import { type Api, rowsOf } from './api.ts'
import { byTime, earliest } from './order.ts'
import {
  before,
  contains,
  eq,
  exists,
  type Filter,
  filters,
  gt,
  idOf,
  isIn,
  lots,
  noteq,
  since,
} from './query.ts'
import {
  COMPLETE,
  LISTED,
  NEW,
  NOTE,
  type NoteRow,
  notesFrom,
  TICKET,
  TIME_ENTRY,
  type TicketRow,
  type TimeEntryRow,
  ticketsFrom,
  timeEntriesFrom,
  urlOf,
} from './rows.ts'

/** [AC] */
const ATTACHMENT = IDENTIFIED.extend({ title: text, fullPath: text, fileSize: amount })

/** Every field of a ticket can be queried but two others. [HP TicketsEntity; N8 searches these] */
const SEARCHED = ['ticketNumber', 'title', 'description'] as const

const OPEN = noteq('status', COMPLETE)
const DAY_MS = 86_400_000

/** The statuses that a ticket can get: new ones first, complete ones last, and between them as the PSA sorts them. */
export function statusesIn(choices: readonly Choice[] = []): Choice[] {
  const place = ({ value, order }: Choice): number =>
    value === NEW ? Number.NEGATIVE_INFINITY : value === COMPLETE ? Number.POSITIVE_INFINITY : order
  return choices
    .filter(({ is_active }) => is_active)
    .sort((one, other) => place(one) - place(other) || one.value - other.value)
}

export const ticketRow = async (api: Api, ticket_id: string): Promise<TicketRow | null> => {
  const id = idOf(ticket_id)
  return id === null ? null : await api.get(TICKET, 'Tickets', id)
}

export async function wholeTicket(api: Api, ticket_id: string): Promise<PsaTicket | null> {
  const row = await ticketRow(api, ticket_id)
  const [ticket] = row ? await ticketsFrom(api, [row]) : []
  return ticket ?? null
}

export const entryRow = async (api: Api, time_entry_id: string): Promise<TimeEntryRow | null> => {
  const id = idOf(time_entry_id)
  const row = id === null ? null : await api.get(TIME_ENTRY, 'TimeEntries', id)
  // Others are of tasks of projects, or of no work for a customer. [HP TimeEntriesEntity]
  return row?.ticketID == null ? null : row
}

export const entryRows = (api: Api, ticket_id: number): Promise<TimeEntryRow[]> =>
  api.all(TIME_ENTRY, 'TimeEntries', [eq('ticketID', ticket_id)])

export const noteRows = (api: Api, ticket_ids: readonly number[]): Promise<NoteRow[]> =>
  api.all(NOTE, 'TicketNotes', [isIn('ticketID', ticket_ids)])

/** The rows of these tickets. A query is late with new ones, which are there by their ids at once (unverified). */
async function ticketRows(api: Api, ids: readonly number[]): Promise<TicketRow[]> {
  const fields = Object.keys(TICKET.shape)
  const known = ids.length > 1 ? await rowsOf(api, TICKET, 'Tickets', ids, fields) : new Map()
  const rows = await Promise.all(ids.map((id) => known.get(id) ?? api.get(TICKET, 'Tickets', id)))
  return rows.filter((row) => row !== null)
}

export function ticketsOf(api: Api, now: Date): PsaTicketReads {
  const listed = (conditions: readonly Filter[]): Promise<TicketRow[]> =>
    api.all(TICKET, 'Tickets', conditions, LISTED)

  /** The last made of the tickets that fit. There is no order but that of ids: of many, they are read by months. [HP] */
  async function lastMade(
    conditions: readonly Filter[],
    fits: (row: TicketRow) => boolean,
    limit: number,
  ): Promise<TicketRow[]> {
    const fields = [...LISTED, 'description']
    const all = await api.after(TICKET, 'Tickets', conditions, null, { fields })
    const found: TicketRow[] = all.next === null ? all.rows.filter(fits) : []
    let until: Date | null = null
    for (let days = 30; all.next !== null && found.length < limit; days *= 4) {
      const from: Date | null = days < 10_000 ? new Date(now.getTime() - days * DAY_MS) : null
      const window: Filter[] = filters(
        from && since('createDate', from),
        until && before('createDate', until),
      )
      const rows = await api.all(TICKET, 'Tickets', [...conditions, ...window], fields)
      found.push(...rows.filter(fits))
      until = from
      if (from === null) break
    }
    return found.sort(byTime('createDate')).reverse().slice(0, limit)
  }

  /** The notes of the tickets, the oldest first. */
  async function notesOf(ids: readonly number[]): Promise<PsaNote[]> {
    const rows: NoteRow[] = []
    for (const lot of lots(ids)) rows.push(...(await noteRows(api, lot)))
    return await notesFrom(api, rows.sort(byTime('createDateTime')))
  }

  return {
    async ticketStatuses() {
      const choices = await api.choices('Tickets')
      return statusesIn(choices.status).map(
        ({ value, label }): PsaTicketStatus => ({ name: label, is_closed: value === COMPLETE }),
      )
    },
    ticket: (ticket_id) => wholeTicket(api, ticket_id),
    // All of a ticket is in its row.
    listedTicket: (ticket_id) => wholeTicket(api, ticket_id),
    async ticketUrl(ticket_id) {
      const [id, { web }] = [idOf(ticket_id), await api.zone()]
      return id === null ? null : web && urlOf(web, id)
    },
    async ticketsWithNotes(ticket_ids) {
      const ids = [...new Set(ticket_ids.map(idOf).filter((id) => id !== null))]
      const [rows, notes] = await Promise.all([ticketRows(api, ids), notesOf(ids)])
      const tickets = await ticketsFrom(api, rows)
      const by_ticket = Map.groupBy(notes, ({ ticket_id }) => ticket_id)
      return tickets.map((ticket) => ({ ticket, notes: by_ticket.get(ticket.ticket_id) ?? [] }))
    },
    async searchTickets({ words, psa_company_id, open_only, limit, contact_id = null }) {
      const wanted = wordsOf(words)
      const company = psa_company_id === null ? undefined : idOf(psa_company_id)
      const contact = contact_id === null ? undefined : idOf(contact_id)
      if (company === null || contact === null) return []
      const conditions = filters(
        ...wanted.map((word) => contains(SEARCHED, word)),
        open_only && OPEN,
        company !== undefined && eq('companyID', company),
        contact !== undefined && eq('contactID', contact),
      )
      const fits = (row: TicketRow) =>
        hasWords(
          wanted,
          SEARCHED.map((field) => row[field]),
        )
      return await ticketsFrom(api, await lastMade(conditions, fits, limit))
    },
    async attachmentsOf(ticket_id) {
      const id = idOf(ticket_id)
      if (id === null) return []
      const fields = Object.keys(ATTACHMENT.shape)
      const rows = await api.all(ATTACHMENT, 'TicketAttachments', [eq('parentID', id)], fields)
      return rows
        .map((row) => ({
          attachment_id: String(row.id),
          file_name: row.fullPath || row.title || '',
          bytes: row.fileSize ?? 0,
        }))
        .sort((one, other) => (one.file_name < other.file_name ? -1 : 1))
    },
    async openTicketCounts(psa_ids) {
      const counts = new Map<number, number>()
      const fields = ['id', 'assignedResourceID']
      for (const ids of lots(psa_ids)) {
        const conditions = [OPEN, isIn('assignedResourceID', ids)]
        const { rows, next } = await api.after(TICKET, 'Tickets', conditions, null, { fields })
        if (next === null) {
          for (const { assignedResourceID: id } of rows)
            if (id != null) counts.set(id, (counts.get(id) ?? 0) + 1)
          continue
        }
        // Of more than a page the PSA counts those of each technician.
        const count = async (id: number) => {
          counts.set(id, await api.count('Tickets', [OPEN, eq('assignedResourceID', id)]))
        }
        await Promise.all(ids.map(count))
      }
      return psa_ids.map((psa_id) => counts.get(psa_id) ?? 0)
    },
    async openTickets(after) {
      const { rows } = await earliest(api, TICKET, {
        entity: 'Tickets',
        conditions: [OPEN],
        field: 'lastActivityDate',
        fields: LISTED,
        place: after && { at: after.updated_at, id: idOf(after.ticket_id) ?? 0 },
        limit: MAX_TICKETS,
      })
      return await ticketsFrom(api, rows)
    },
    async openTicketsOf(contact_id) {
      const id = idOf(contact_id)
      if (id === null) return []
      const rows = await listed([OPEN, eq('contactID', id)])
      const last = rows.sort(byTime('lastActivityDate')).reverse()
      return await ticketsFrom(api, last.slice(0, MAX_TICKETS))
    },
    async recentlyClosedTicketsOf(contact_id, days) {
      const id = idOf(contact_id)
      if (id === null) return []
      const from = new Date(now.getTime() - days * DAY_MS)
      const rows = await listed([
        eq('status', COMPLETE),
        eq('contactID', id),
        gt('completedDate', from.toISOString()),
      ])
      const last = rows.sort(byTime('completedDate')).reverse()
      return await ticketsFrom(api, last.slice(0, MAX_TICKETS))
    },
    async notesOf(ticket_id) {
      const id = idOf(ticket_id)
      return id === null ? [] : await notesOf([id])
    },
    async timeEntriesOf(ticket_id) {
      const id = idOf(ticket_id)
      if (id === null) return []
      const entries = await timeEntriesFrom(api, await entryRows(api, id))
      return entries.sort((one, other) => one.started_at.getTime() - other.started_at.getTime())
    },
    async timeEntry(time_entry_id) {
      const row = await entryRow(api, time_entry_id)
      const [entry] = row ? await timeEntriesFrom(api, [row]) : []
      return entry ?? null
    },
    async timeEntriesAfter({ created_at, time_entry_id }) {
      const { rows } = await earliest(api, TIME_ENTRY, {
        entity: 'TimeEntries',
        conditions: [exists('ticketID')],
        field: 'createDateTime',
        place: { at: created_at, id: idOf(time_entry_id) ?? -1 },
        limit: MAX_TIME_ENTRIES,
      })
      return await timeEntriesFrom(api, rows)
    },
  }
}
