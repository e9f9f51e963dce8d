/** Reads of tickets of HaloPSA. Sources as in `api.ts`. */

import { z } from 'zod'
import { VendorFailure } from '../http/failure.ts'
import { amount, count, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import { MAX_TICKETS, type Psa, type PsaTicket, type PsaTicketWithNotes } from '../psa.ts'
import { hasWords, wordsOf } from '../words.ts'
import { actionRows, notesIn } from './actions.ts'
import {
  type Api,
  LIST_START,
  type ListPart,
  type ListPlace,
  longestPart,
  PAGE,
  readAt,
  timeText,
} from './api.ts'
import { choicesOf, statusesOf } from './choices.ts'
import { UNASSIGNED } from './people.ts'
import { TICKET, type TicketRow, ticketOf, updatedOf, urlOf } from './rows.ts'

/** Unverified: the name of its size. [SW: filename, filesize] */
const ATTACHMENT = z.object({ id: count, filename: text, filesize: amount })

/** The open tickets of each technician, in a request for each of them. */
async function countedApart(api: Api, psa_ids: readonly number[]): Promise<Map<number, number>> {
  const counted = await Promise.all(
    psa_ids.map(async (agent_id) => {
      // The answer counts the rows of all pages. [HA]
      const { total } = await api.page(TICKET, '/Tickets', { agent_id, open_only: true }, 1, 1)
      if (total === null) throw new VendorFailure('HALO_PSA does not say how many tickets there are')
      return [agent_id, total] as const
    }),
  )
  return new Map(counted)
}

/** Pages that are read one after another in the time of a call. */
const MOST_PAGES = 15

/** The open tickets of each technician, from all open tickets; null if these are more pages than there are technicians. */
async function countedTogether(api: Api, psa_ids: readonly number[]): Promise<Map<number, number> | null> {
  const { total } =
    psa_ids.length > 1 ? await api.page(TICKET, '/Tickets', { open_only: true }, 1, 1) : { total: null }
  // Beside its pages the list costs the request that counts it.
  if (total === null || Math.ceil(total / PAGE) > Math.min(MOST_PAGES, psa_ids.length - 2)) return null
  const counts = new Map<number, number>()
  for (const { agent_id } of await api.all(TICKET, '/Tickets', { open_only: true }))
    if (agent_id != null) counts.set(agent_id, (counts.get(agent_id) ?? 0) + 1)
  return counts
}

/** null: there is no such ticket, or it was deleted. */
export const ticketRow = async (api: Api, ticket_id: string): Promise<TicketRow | null> => {
  const id = idOf(ticket_id)
  const row = id === null ? null : await api.get(TICKET, `/Tickets/${id}`, { includedetails: true })
  return row?.deleted ? null : row
}

/** The ticket with the notes that are read for its texts. */
async function ticketWithNotes(api: Api, ticket_id: string): Promise<PsaTicketWithNotes | null> {
  const row = await ticketRow(api, ticket_id)
  if (!row) return null
  const [choices, actions] = await Promise.all([choicesOf(api), actionRows(api, row.id)])
  return { ticket: ticketOf(api, row, choices, actions), notes: notesIn(actions) }
}

export const wholeTicket = async (api: Api, ticket_id: string): Promise<PsaTicket | null> =>
  (await ticketWithNotes(api, ticket_id))?.ticket ?? null

/** The order of changes: what changed at one instant is by its id. */
const byChange = { order: 'last_update', orderdesc: false, order2: 'id', orderdesc2: false }

interface Place {
  at: Date
  id: number
}

const isAfter = (row: TicketRow, { at, id }: Place): boolean => {
  const difference = updatedOf(row).getTime() - at.getTime()
  return difference > 0 || (difference === 0 && row.id > id)
}

const inChange = (one: TicketRow, other: TicketRow): number =>
  updatedOf(one).getTime() - updatedOf(other).getTime() || one.id - other.id

/** True for rows that are in the order of changes, as was asked for. Unverified: the names of the fields of an order. */
const isInOrder = (rows: readonly TicketRow[]): boolean =>
  rows.every((row, index) => index === 0 || inChange(rows[index - 1] as TicketRow, row) < 0)

/** Unverified: whether a change at this time is among those from it. From a second before it is. */
const fromText = (at: Date): string => timeText(new Date(at.getTime() - 1000))

/** At most so many tickets that come after the place, by their last change. */
export async function changedAfter(
  api: Api,
  query: Readonly<Record<string, boolean>>,
  place: Place | null,
  limit: number,
): Promise<TicketRow[]> {
  const found = new Map<number, TicketRow>()
  let from: string | null = place && fromText(place.at)
  let is_in_order = true
  for (let at: ListPlace | null = LIST_START; at; ) {
    const of = { ...query, ...byChange, ...(from !== null && { lastupdatefromdate: from }) }
    const part: ListPart<TicketRow> = readAt(at, await api.page(TICKET, '/Tickets', of, at.page_no))
    const { rows, next } = part
    for (const row of rows)
      if (!row.deleted && (place === null || isAfter(row, place))) found.set(row.id, row)
    is_in_order &&= isInOrder(rows)
    // Without the order it is read whole.
    if (found.size >= limit && is_in_order) break
    const last = rows.at(-1)
    const later = next && last && is_in_order ? fromText(updatedOf(last)) : null
    // A ticket that changes meanwhile goes to the end, so that those after it would be on the page before.
    if (later !== null && (from === null || later > from)) [from, at] = [later, LIST_START]
    else at = next
  }
  return [...found.values()].sort(inChange).slice(0, limit)
}

const DAY_MS = 86_400_000

type Tickets = Pick<
  Psa,
  | 'ticketStatuses'
  | 'ticket'
  | 'listedTicket'
  | 'ticketUrl'
  | 'ticketsWithNotes'
  | 'searchTickets'
  | 'attachmentsOf'
  | 'openTicketCounts'
  | 'openTickets'
  | 'openTicketsOf'
  | 'recentlyClosedTicketsOf'
>

export function ticketsOf(api: Api, now: Date): Tickets {
  const list = async (
    query: Readonly<Record<string, string | number | boolean>>,
    limit: number,
    isWanted: (ticket: PsaTicket) => boolean = () => true,
  ): Promise<PsaTicket[]> => {
    const choices = await choicesOf(api)
    const found: PsaTicket[] = []
    for await (const rows of api.pages(TICKET, '/Tickets', query)) {
      const tickets = rows.filter(({ deleted }) => !deleted).map((row) => ticketOf(api, row, choices))
      found.push(...tickets.filter(isWanted))
      if (found.length >= limit) break
    }
    return found.slice(0, limit)
  }
  return {
    ticketStatuses: async () => (await statusesOf(api)).map(({ name, is_closed }) => ({ name, is_closed })),
    ticket: (ticket_id) => wholeTicket(api, ticket_id),
    async listedTicket(ticket_id) {
      const [row, choices] = await Promise.all([ticketRow(api, ticket_id), choicesOf(api)])
      return row && ticketOf(api, row, choices)
    },
    async ticketUrl(ticket_id) {
      const id = idOf(ticket_id)
      return id === null ? null : urlOf(api, id)
    },
    // Rows of lists lack the texts of tickets [SW, HA], and actions are listed for one ticket, or for a day of all. [PY]
    async ticketsWithNotes(ticket_ids) {
      const read = await Promise.all([...new Set(ticket_ids)].map((id) => ticketWithNotes(api, id)))
      return read.filter((one) => one !== null)
    },
    async searchTickets({ words, psa_company_id, open_only, limit, contact_id = null }) {
      const wanted = wordsOf(words)
      const client_id = psa_company_id === null ? 0 : idOf(psa_company_id)
      const user_id = contact_id === null ? 0 : idOf(contact_id)
      if (client_id === null || user_id === null) return []
      const search_summary = longestPart(wanted)
      const isWanted = (ticket: PsaTicket): boolean =>
        hasWords(wanted, [ticket.number, ticket.title]) &&
        (psa_company_id === null || ticket.psa_company_id === psa_company_id) &&
        (contact_id === null || ticket.contact_id === contact_id) &&
        !(open_only && ticket.closed_at !== null)
      const query = {
        ...(search_summary !== null && { search_summary }),
        ...(open_only && { open_only }),
        ...(client_id > 0 && { client_id }),
        ...(user_id > 0 && { user_id }),
        order: 'dateoccurred',
        orderdesc: true,
      }
      const numbers = wanted.map(idOf).filter((id) => id !== null)
      const [by_title, by_number] = await Promise.all([
        list(query, limit, isWanted),
        Promise.all(numbers.map((id) => ticketRow(api, String(id)))),
      ])
      const choices = await choicesOf(api)
      const tickets = new Map(by_title.map((ticket) => [ticket.ticket_id, ticket]))
      for (const row of by_number.filter((one) => one !== null)) {
        const ticket = ticketOf(api, row, choices)
        if (isWanted(ticket)) tickets.set(ticket.ticket_id, ticket)
      }
      return [...tickets.values()]
        .sort((one, other) => other.created_at.getTime() - one.created_at.getTime())
        .slice(0, limit)
    },
    async attachmentsOf(ticket_id) {
      const id = idOf(ticket_id)
      if (id === null) return []
      const rows = await api.list(ATTACHMENT, '/Attachment', { ticket_id: id })
      return rows
        .map((row) => ({
          attachment_id: String(row.id),
          file_name: row.filename ?? '',
          bytes: row.filesize ?? 0,
        }))
        .sort((one, other) => (one.file_name < other.file_name ? -1 : 1))
    },
    async openTicketCounts(psa_ids) {
      const ids = [...new Set(psa_ids)].filter((psa_id) => psa_id > UNASSIGNED)
      const counts = (await countedTogether(api, ids)) ?? (await countedApart(api, ids))
      return psa_ids.map((psa_id) => counts.get(psa_id) ?? 0)
    },
    async openTickets(after) {
      const place = after && { at: after.updated_at, id: idOf(after.ticket_id) ?? 0 }
      const [rows, choices] = await Promise.all([
        changedAfter(api, { open_only: true }, place, MAX_TICKETS),
        choicesOf(api),
      ])
      return rows.map((row) => ticketOf(api, row, choices))
    },
    async openTicketsOf(contact_id) {
      const user_id = idOf(contact_id)
      if (user_id === null) return []
      return await list({ user_id, open_only: true, order: 'last_update', orderdesc: true }, MAX_TICKETS)
    },
    async recentlyClosedTicketsOf(contact_id, days) {
      const user_id = idOf(contact_id)
      if (user_id === null) return []
      const since = new Date(now.getTime() - days * DAY_MS)
      // The field of the search is the column of the vendor's database. [SW, PD]
      const query = { user_id, closed_only: true, datesearch: 'datecleared', startdate: timeText(since) }
      return await list(
        {
          ...query,
          enddate: timeText(new Date(now.getTime() + DAY_MS)),
          order: 'dateclosed',
          orderdesc: true,
        },
        MAX_TICKETS,
        ({ closed_at }) => closed_at !== null && closed_at > since,
      )
    },
  }
}
