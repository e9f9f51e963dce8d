/** Reads of the tickets of the local PSA. */
import { scoped, sql } from '../../db/db.ts'
import { searchable, wordPatterns } from '../../lib/like-pattern.ts'
import type { PortContext } from '../port.ts'
import {
  MAX_TICKETS,
  MAX_TIME_ENTRIES,
  type PsaAttachment,
  type PsaNote,
  type PsaTicket,
  type PsaTicketReads,
  type PsaTicketStatus,
  type PsaTicketWithNotes,
  type PsaTimeEntry,
} from '../psa.ts'

export const STATUSES: readonly PsaTicketStatus[] = [
  { name: 'New', is_closed: false },
  { name: 'In progress', is_closed: false },
  { name: 'Waiting on customer', is_closed: false },
  { name: 'Waiting on third party', is_closed: false },
  { name: 'Resolved', is_closed: true },
  { name: 'Closed', is_closed: true },
]

/** The columns of rows called `t`. */
export const TICKET = `t.ticket_id, t.number, t.title, t.description, t.status, t.priority, t.board, t.type,
  t.category,  t.psa_company_id, t.contact_id, t.assignee_psa_id, t.url, t.created_at, t.updated_at,
  t.closed_at, t.resolution, t.merged_into_ticket_id`
/** The database has the names of authors alone. */
export const NOTE = `n.note_id, n.ticket_id, n.author_name, null as author_side, null as author_contact_id, n.is_internal, n.text,
  n.created_at`
export const TIME_ENTRY = `e.time_entry_id, e.ticket_id, (
    select t.psa_company_id from psa_ticket t
    where t.tenant_id = e.tenant_id and t.environment = e.environment and t.ticket_id = e.ticket_id
  ) as psa_company_id, e.technician_psa_id, e.minutes, e.note, e.agreement, e.returned_reason, e.started_at, e.created_at`

/** The key of the write that made the ticket or note. */
const madeByKey = (row: string, id: string): string => `(
    select w.idempotency_key from psa_write w
    where w.tenant_id = ${row}.tenant_id and w.environment = ${row}.environment and w.ticket_id = ${row}.ticket_id
      and w.made_id = ${row}.${id} limit 1
  ) as made_by_key`

const BY_ID = scoped(
  'psa.ticket',
  `select ${TICKET}, ${madeByKey('t', 'ticket_id')} from psa_ticket t where t.tenant_id = $1 and t.environment = $2 and t.ticket_id = $3::text`,
)

const OF_CONTACT = `select ${TICKET} from psa_ticket t
  where t.tenant_id = $1 and t.environment = $2 and t.contact_id = $3::text`

const OPEN = scoped(
  'psa.open_tickets',
  `${OF_CONTACT} and t.closed_at is null order by t.updated_at desc, t.ticket_id desc limit ${MAX_TICKETS}`,
)

const CLOSED = scoped(
  'psa.closed_tickets',
  `${OF_CONTACT} and t.closed_at > $4::timestamptz
   order by t.closed_at desc, t.ticket_id desc limit ${MAX_TICKETS}`,
)

const SEARCH = scoped(
  'psa.search_tickets',
  `select ${TICKET} from psa_ticket t
   where t.tenant_id = $1 and t.environment = $2 and ($3::text is null or t.psa_company_id = $3::text)
     and ${searchable(`concat_ws(' ', t.number, t.title, t.description)`)} like all($4::text[])
     and (t.closed_at is null or not $5::boolean) and ($7::text is null or t.contact_id = $7::text)
   order by t.created_at desc, t.ticket_id desc limit $6::int`,
)

const ATTACHMENTS = scoped(
  'psa.attachments',
  `select a.attachment_id, a.file_name, a.bytes from psa_attachment a
   where a.tenant_id = $1 and a.environment = $2 and a.ticket_id = $3::text order by a.file_name, a.attachment_id`,
)

const ALL_OPEN = scoped(
  'psa.all_open_tickets',
  `select ${TICKET} from psa_ticket t
   where t.tenant_id = $1 and t.environment = $2 and t.closed_at is null
     and (t.updated_at, t.ticket_id) > ($3::timestamptz, $4::text)
   order by t.updated_at, t.ticket_id limit ${MAX_TICKETS}`,
)

const OPEN_COUNTS = scoped(
  'psa.open_ticket_counts',
  `select t.assignee_psa_id, count(*)::int as open from psa_ticket t
   where t.tenant_id = $1 and t.environment = $2 and t.assignee_psa_id = any($3::int[]) and t.closed_at is null
   group by t.assignee_psa_id`,
)

const NOTES = scoped(
  'psa.notes',
  `select ${NOTE}, ${madeByKey('n', 'note_id')} from psa_note n
   where n.tenant_id = $1 and n.environment = $2 and n.ticket_id = $3::text order by n.created_at, n.note_id`,
)

const TIME_ENTRIES = scoped(
  'psa.time_entries',
  `select ${TIME_ENTRY} from psa_time_entry e
   where e.tenant_id = $1 and e.environment = $2 and e.ticket_id = $3::text order by e.started_at, e.time_entry_id`,
)

const TIME_ENTRY_BY_ID = scoped(
  'psa.time_entry',
  `select ${TIME_ENTRY} from psa_time_entry e
   where e.tenant_id = $1 and e.environment = $2 and e.time_entry_id = $3::text`,
)

const NEW_TIME_ENTRIES = scoped(
  'psa.new_time_entries',
  `select ${TIME_ENTRY} from psa_time_entry e
   where e.tenant_id = $1 and e.environment = $2 and (e.created_at, e.time_entry_id) > ($3::timestamptz, $4::text)
   order by e.created_at, e.time_entry_id limit ${MAX_TIME_ENTRIES}`,
)

/** Earlier than every ticket. */
const START = new Date('0001-01-01T00:00:00Z')

const DAY_MS = 86_400_000

/** The ticket, or null. */
export async function ticketOf(ctx: PortContext, ticket_id: string): Promise<PsaTicket | null> {
  const [row] = await sql<PsaTicket>(ctx, BY_ID, [ticket_id])
  if (!row) return null
  const { made_by_key, ...ticket } = row
  return made_by_key == null ? ticket : { ...ticket, made_by_key }
}

export const ticketsOf = (ctx: PortContext): PsaTicketReads => ({
  ticketStatuses: async () => STATUSES,
  ticket: (ticket_id) => ticketOf(ctx, ticket_id),
  listedTicket: (ticket_id) => ticketOf(ctx, ticket_id),
  ticketUrl: async (ticket_id) => (await ticketOf(ctx, ticket_id))?.url ?? null,
  async ticketsWithNotes(ticket_ids) {
    const found: PsaTicketWithNotes[] = []
    for (const id of new Set(ticket_ids)) {
      const ticket = await ticketOf(ctx, id)
      if (ticket) found.push({ ticket, notes: await sql<PsaNote>(ctx, NOTES, [id]) })
    }
    return found
  },
  searchTickets: ({ words, psa_company_id, open_only, limit, contact_id = null }) =>
    sql<PsaTicket>(ctx, SEARCH, [psa_company_id, wordPatterns(words), open_only, limit, contact_id]),
  attachmentsOf: (ticket_id) => sql<PsaAttachment>(ctx, ATTACHMENTS, [ticket_id]),
  async openTicketCounts(psa_ids) {
    const rows = await sql<{ assignee_psa_id: number; open: number }>(ctx, OPEN_COUNTS, [psa_ids])
    const counts = new Map(rows.map(({ assignee_psa_id, open }) => [assignee_psa_id, open]))
    return psa_ids.map((psa_id) => counts.get(psa_id) ?? 0)
  },
  openTickets: (after) => sql<PsaTicket>(ctx, ALL_OPEN, [after?.updated_at ?? START, after?.ticket_id ?? '']),
  openTicketsOf: (contact_id) => sql<PsaTicket>(ctx, OPEN, [contact_id]),
  recentlyClosedTicketsOf: (contact_id, days) =>
    sql<PsaTicket>(ctx, CLOSED, [contact_id, new Date(ctx.now.getTime() - days * DAY_MS)]),
  notesOf: (ticket_id) => sql<PsaNote>(ctx, NOTES, [ticket_id]),
  timeEntriesOf: (ticket_id) => sql<PsaTimeEntry>(ctx, TIME_ENTRIES, [ticket_id]),
  timeEntry: async (id) => (await sql<PsaTimeEntry>(ctx, TIME_ENTRY_BY_ID, [id]))[0] ?? null,
  timeEntriesAfter: ({ created_at, time_entry_id }) =>
    sql<PsaTimeEntry>(ctx, NEW_TIME_ENTRIES, [created_at, time_entry_id]),
})
