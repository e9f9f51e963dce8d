/** Tickets in the PSA. */
import type { Psa, PsaTicket } from '../../connectors/psa.ts'
import { requireFound, ToolFailure } from '../failure.ts'
import { type Search, searchOf } from '../search.ts'
import { inPsa, type Ports, type ToolResult } from '../tool-context.ts'

interface OfTicket {
  ticket_id: string
}

type Changes = Parameters<Psa['updateTicket']>[1]

type ChangesOf<Args> = (args: Args, ports: Ports) => Changes | Promise<Changes>

/** A tool that changes fields of a ticket. */
const changes = <Args>(changesOf: ChangesOf<Args>) =>
  inPsa(
    async (psa, args: Args & OfTicket, { key }, ports) => {
      const { ticket_id } = await psa.updateTicket(args.ticket_id, await changesOf(args, ports), key)
      return { ticket_id }
    },
    async (args, ports) => ({
      ticket_id: args.ticket_id,
      changes: await toldChanges(changesOf, args, ports),
    }),
  )

/** The changes; none if what they name is there no more: the key alone tells of them then. */
async function toldChanges<Args>(changesOf: ChangesOf<Args>, args: Args, ports: Ports): Promise<Changes> {
  try {
    return await changesOf(args, ports)
  } catch (error) {
    if (error instanceof ToolFailure) return {}
    throw error
  }
}

/** The tickets as searches show them. */
async function summariesOf(psa: Psa, tickets: readonly PsaTicket[]): Promise<ToolResult[]> {
  const unnamed = tickets.filter(({ names: told }) => told?.company === undefined)
  const ids = [...new Set(unnamed.flatMap(({ psa_company_id }) => psa_company_id ?? []))]
  const names = ids.length === 0 ? [] : await psa.companyNames(ids)
  const nameOf = new Map(ids.map((id, index) => [id, names[index] ?? null]))
  return tickets.map(({ ticket_id, number, title, status, priority, psa_company_id, names: told }) => ({
    ticket_id,
    number,
    title,
    status,
    priority,
    company: told?.company ?? nameOf.get(psa_company_id ?? '') ?? null,
  }))
}

async function detailsOf(psa: Psa, ticket: PsaTicket): Promise<ToolResult> {
  const { contact_id, assignee_psa_id, names, description, board, created_at } = ticket
  const [[summary], contact, assignee] = await Promise.all([
    summariesOf(psa, [ticket]),
    contact_id === null || names?.contact !== undefined ? null : psa.contact(contact_id),
    assignee_psa_id === null || names?.assignee !== undefined ? null : psa.technician(assignee_psa_id),
  ])
  return {
    ...summary,
    board,
    description: description || null,
    created_at: created_at.toISOString(),
    contact: names?.contact ?? contact?.name ?? null,
    assignee: names?.assignee ?? assignee?.name ?? null,
  }
}

/** The status that ends the work on a ticket: the last of those that close it. */
async function closingStatus(psa: Psa): Promise<string> {
  const statuses = await psa.ticketStatuses()
  return requireFound(
    statuses.findLast(({ is_closed }) => is_closed),
    'status_not_found',
  ).name
}

export const TICKET_EXECUTORS = {
  'ticket.read': inPsa(async (psa, { ticket_id }: OfTicket) =>
    detailsOf(psa, requireFound(await psa.ticket(ticket_id), 'ticket_not_found')),
  ),
  'ticket.search': inPsa(async (psa, { open_only, ...search }: Search & { open_only?: boolean }) => {
    const tickets = await psa.searchTickets({ ...searchOf(search), open_only: open_only ?? false })
    return { results: await summariesOf(psa, tickets) }
  }),
  'ticket.list_notes': inPsa(async (psa, { ticket_id }: OfTicket) => {
    const notes = await psa.notesOf(ticket_id)
    if (notes.length === 0) requireFound(await psa.listedTicket(ticket_id), 'ticket_not_found')
    return {
      notes: notes.map(({ note_id, text, is_internal, author_name, created_at }) => ({
        note_id,
        text,
        author: author_name,
        created_at: created_at.toISOString(),
        visibility: is_internal ? 'INTERNAL' : 'PUBLIC',
      })),
    }
  }),
  'ticket.list_attachments': inPsa(async (psa, { ticket_id }: OfTicket) => {
    const attachments = await psa.attachmentsOf(ticket_id)
    if (attachments.length === 0) requireFound(await psa.listedTicket(ticket_id), 'ticket_not_found')
    return { attachments }
  }),
  'ticket.create': inPsa(
    async (psa, args: NewTicket, { key }) => {
      const { company_id: psa_company_id, contact_id = null, title, description, board = null } = args
      const ticket = await psa.createTicket({ psa_company_id, contact_id, title, description, board }, key)
      return { ticket_id: ticket.ticket_id }
    },
    () => 'NEW_TICKET',
  ),
  'ticket.add_note': inPsa(
    async (psa, { ticket_id, text, visibility }: NewNote, { run, key }) => {
      const note = { author_name: run.agent_name, is_internal: visibility === 'INTERNAL', text }
      return { note_id: (await psa.addNote(ticket_id, note, key)).note_id }
    },
    ({ ticket_id }) => ({ note_on: ticket_id }),
  ),
  'ticket.set_status': changes(({ status }: { status: string }) => ({ status })),
  'ticket.set_priority': changes(({ priority }: { priority: string }) => ({ priority })),
  'ticket.set_type': changes(({ type, category }: { type: string; category?: string }) => ({
    type,
    ...(category !== undefined && { category }),
  })),
  'ticket.set_queue': changes(({ queue }: { queue: string }) => ({ board: queue })),
  'ticket.set_contact': changes(({ contact_id }: { contact_id: string }) => ({ contact_id })),
  'ticket.assign': changes(async (args: { technician_id: number }, { technicians }) => {
    const found = await technicians.technician(args.technician_id)
    return { assignee_psa_id: requireFound(found, 'technician_not_found').psa_id }
  }),
  'ticket.merge': inPsa(
    async (psa, args: OfTicket & { into_ticket_id: string }, { key }) => {
      const { ticket_id } = await psa.mergeTicket(args.ticket_id, args.into_ticket_id, key)
      return { ticket_id }
    },
    ({ ticket_id, into_ticket_id }) => ({ ticket_id, into_ticket_id }),
  ),
  'ticket.close': changes(async ({ resolution }: { resolution: string }, { psa }) => ({
    status: await closingStatus(psa),
    resolution,
  })),
}

interface NewTicket {
  company_id: string
  contact_id?: string
  title: string
  description: string
  board?: string
}

interface NewNote extends OfTicket {
  text: string
  visibility: 'INTERNAL' | 'PUBLIC'
}
