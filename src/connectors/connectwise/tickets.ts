/** Reads of tickets, notes and time entries of ConnectWise PSA. Sources as in `api.ts`. */

import { z } from 'zod'
import { amount, count, NAMED, placeInTime, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import {
  MAX_TICKETS,
  MAX_TIME_ENTRIES,
  type PsaTicket,
  type PsaTicketReads,
  type PsaTicketStatus,
} from '../psa.ts'
import { hasWords, wordsOf } from '../words.ts'
import { type Api, instant } from './api.ts'
import { contains, dateOf, every } from './conditions.ts'
import {
  NOTE,
  type NoteRow,
  noteOf,
  STATUS,
  type StatusRow,
  TICKET,
  TIME_ENTRY,
  type TicketRow,
  type TimeEntryRow,
  ticketOf,
  timeEntryOf,
  urlOf,
} from './rows.ts'

/** The rows of a page whose texts can be long. */
const TEXTS = 200

const DOCUMENT = z.object({ id: count, fileName: text, size: amount })

/** A ticket after which the next page of open tickets begins. */
const CHANGED_TICKET = TICKET.extend({ _info: z.object({ dateEntered: text, lastUpdated: placeInTime }) })

/** A time entry after which the next page begins. */
const ENTERED = TIME_ENTRY.extend({ _info: z.object({ dateEntered: placeInTime, lastUpdated: text }) })

export const ticketRow = async (api: Api, ticket_id: string): Promise<TicketRow | null> => {
  const id = idOf(ticket_id)
  return id === null ? null : await api.get(TICKET, `/service/tickets/${id}`)
}

export const noteRows = async (api: Api, id: number): Promise<NoteRow[]> =>
  (await api.all(NOTE, `/service/tickets/${id}/notes`, { pageSize: TEXTS })).sort(
    (one, other) =>
      instant(one.dateCreated).getTime() - instant(other.dateCreated).getTime() || one.id - other.id,
  )

export const timeEntryRow = async (api: Api, time_entry_id: string): Promise<TimeEntryRow | null> => {
  const id = idOf(time_entry_id)
  return id === null ? null : await api.get(TIME_ENTRY, `/time/entries/${id}`)
}

/** The ticket with the texts that are its notes. */
export async function wholeTicket(api: Api, ticket_id: string): Promise<PsaTicket | null> {
  const row = await ticketRow(api, ticket_id)
  return row && ticketOf(api, row, await noteRows(api, row.id))
}

/** As many ids as an address takes. [DG] */
const IDS = 100

/** No bulk read of notes is known. */
export const requests_for_tickets = (count: number): number => Math.ceil(count / IDS) + count

/** The rows of the tickets, by their ids. */
async function ticketRows(api: Api, ids: readonly number[]): Promise<Map<number, TicketRow>> {
  const rows = new Map<number, TicketRow>()
  for (let at = 0; at < ids.length; at += IDS) {
    const some = ids.slice(at, at + IDS)
    const query = { conditions: `id in (${some.join(',')})`, pageSize: some.length }
    for (const row of await api.page(TICKET, '/service/tickets', query)) rows.set(row.id, row)
  }
  // A ticket that the list does not have yet may be there.
  for (const id of ids) {
    const row = rows.has(id) ? null : await api.get(TICKET, `/service/tickets/${id}`)
    if (row) rows.set(id, row)
  }
  return rows
}

/** The statuses of a board, in its order. [OA] */
export const statusesOf = async (api: Api, board_id: number): Promise<StatusRow[]> =>
  (await api.all(STATUS, `/service/boards/${board_id}/statuses`))
    .filter(({ inactive }) => !inactive)
    .sort((one, other) => (one.sortOrder ?? 0) - (other.sortOrder ?? 0))

export const ON_TICKET = 'chargeToType="ServiceTicket"'
const DAY_MS = 86_400_000

export function ticketsOf(api: Api, now: Date): PsaTicketReads {
  const list = async (conditions: string, orderBy: string, pageSize = MAX_TICKETS, page = 1) => {
    const rows = await api.page(TICKET, '/service/tickets', { conditions, orderBy, pageSize, page })
    return rows.map((row) => ticketOf(api, row))
  }
  return {
    async ticketStatuses() {
      const boards = await api.all(NAMED, '/service/boards', { conditions: 'inactiveFlag=false' })
      const all = await Promise.all(boards.map(({ id }) => statusesOf(api, id)))
      const statuses = new Map<string, PsaTicketStatus>()
      for (const { name = '', closedStatus = false } of all.flat())
        if (!statuses.has(name)) statuses.set(name, { name, is_closed: closedStatus })
      return [...statuses.values()]
    },
    ticket: (ticket_id) => wholeTicket(api, ticket_id),
    async listedTicket(ticket_id) {
      const row = await ticketRow(api, ticket_id)
      return row && ticketOf(api, row)
    },
    async ticketUrl(ticket_id) {
      const id = idOf(ticket_id)
      return id === null ? null : urlOf(api, id)
    },
    async ticketsWithNotes(ticket_ids) {
      const ids = [...new Set(ticket_ids.map(idOf).filter((id) => id !== null))]
      const rows = await ticketRows(api, ids)
      const found = ids.map((id) => rows.get(id)).filter((row) => row !== undefined)
      return await Promise.all(
        found.map(async (row) => {
          const notes = await noteRows(api, row.id)
          const ticket = ticketOf(api, row, notes)
          return { ticket, notes: notes.map((note) => noteOf(ticket.ticket_id, note)) }
        }),
      )
    },
    async searchTickets({ words, psa_company_id, open_only, limit, contact_id = null }) {
      const wanted = wordsOf(words)
      const company = psa_company_id === null ? 0 : idOf(psa_company_id)
      const contact = contact_id === null ? 0 : idOf(contact_id)
      if (company === null || contact === null) return []
      // Of texts the vendor searches the summary alone. [OA]
      const conditions = every(
        ...wanted.map((word) => {
          const text = contains(['summary'], word)
          const id = idOf(word)
          return id !== null && text ? `(id=${id} or ${text})` : text
        }),
        open_only && 'closedFlag=false',
        company > 0 && `company/id=${company}`,
        contact > 0 && `contact/id=${contact}`,
      )
      const found: PsaTicket[] = []
      for (let page = 1; found.length < limit; page++) {
        const tickets = await list(conditions, 'id desc', MAX_TICKETS, page)
        found.push(...tickets.filter(({ number, title }) => hasWords(wanted, [number, title])))
        if (tickets.length < MAX_TICKETS) break
      }
      return found.sort((one, other) => other.created_at.getTime() - one.created_at.getTime()).slice(0, limit)
    },
    async attachmentsOf(ticket_id) {
      const id = idOf(ticket_id)
      if (id === null) return []
      const query = { recordType: 'Ticket', recordId: id }
      const rows = await api.all(DOCUMENT, '/system/documents', query)
      return rows
        .map((row) => ({
          attachment_id: String(row.id),
          file_name: row.fileName ?? '',
          bytes: row.size ?? 0,
        }))
        .sort((one, other) => (one.file_name < other.file_name ? -1 : 1))
    },
    async openTicketCounts(psa_ids) {
      if (psa_ids.length === 0) return []
      const conditions = `closedFlag=false and owner/id in (${[...new Set(psa_ids)].join(',')})`
      const rows = await api.all(TICKET, '/service/tickets', { conditions, fields: 'id,owner/id' })
      return psa_ids.map((psa_id) => rows.filter(({ owner }) => owner?.id === psa_id).length)
    },
    async openTickets(after) {
      const at = after && dateOf(after.updated_at)
      const rows = await api.page(CHANGED_TICKET, '/service/tickets', {
        conditions: every(
          'closedFlag=false',
          after && `(lastUpdated>${at} or (lastUpdated=${at} and id>${idOf(after.ticket_id) ?? 0}))`,
        ),
        orderBy: '_info/lastUpdated asc, id asc',
        pageSize: MAX_TICKETS,
      })
      return rows.map((row) => ticketOf(api, row))
    },
    async openTicketsOf(contact_id) {
      const id = idOf(contact_id)
      if (id === null) return []
      return await list(`closedFlag=false and contact/id=${id}`, '_info/lastUpdated desc')
    },
    async recentlyClosedTicketsOf(contact_id, days) {
      const id = idOf(contact_id)
      if (id === null) return []
      const since = dateOf(new Date(now.getTime() - days * DAY_MS))
      return await list(`closedFlag=true and contact/id=${id} and closedDate>${since}`, 'closedDate desc')
    },
    async notesOf(ticket_id) {
      const id = idOf(ticket_id)
      return id === null ? [] : (await noteRows(api, id)).map((row) => noteOf(ticket_id, row))
    },
    async timeEntriesOf(ticket_id) {
      const id = idOf(ticket_id)
      if (id === null) return []
      const conditions = `${ON_TICKET} and chargeToId=${id}`
      const rows = await api.all(TIME_ENTRY, '/time/entries', { conditions })
      return rows.map(timeEntryOf).sort((one, other) => one.started_at.getTime() - other.started_at.getTime())
    },
    async timeEntry(time_entry_id) {
      const row = await timeEntryRow(api, time_entry_id)
      return row && timeEntryOf(row)
    },
    async timeEntriesAfter({ created_at, time_entry_id }) {
      const at = dateOf(created_at)
      const rows = await api.page(ENTERED, '/time/entries', {
        conditions: `${ON_TICKET} and (dateEntered>${at} or (dateEntered=${at} and id>${idOf(time_entry_id) ?? 0}))`,
        orderBy: '_info/dateEntered asc, id asc',
        pageSize: MAX_TIME_ENTRIES,
      })
      return rows.map(timeEntryOf)
    },
  }
}
