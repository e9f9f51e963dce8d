/** Tickets in the PSA. */
import type { Psa, PsaTicket } from '../../connectors/psa.ts'
import { type Call, inPsa, type ToolResult } from '../acting.ts'
import { known, ToolFailure } from '../failure.ts'

interface OfTicket {
  ticket_id: string
}

type Changes = Parameters<Psa['updateTicket']>[1]

/** A tool that changes fields of a ticket. */
const changes = <Args>(changesOf: (args: Args) => Changes) =>
  inPsa(async (psa, args: Args & OfTicket, { key }) => {
    const { ticket_id } = await psa.updateTicket(args.ticket_id, changesOf(args), key)
    return { ticket_id }
  })

const nameOf = async (psa: Psa, psa_company_id: string | null): Promise<string | null> =>
  psa_company_id === null ? null : ((await psa.company(psa_company_id))?.name ?? null)

async function detailsOf(psa: Psa, ticket: PsaTicket): Promise<ToolResult> {
  const { contact_id, assignee_psa_id, psa_company_id } = ticket
  const [company, contact, assignee] = await Promise.all([
    nameOf(psa, psa_company_id),
    contact_id === null ? null : psa.contact(contact_id),
    assignee_psa_id === null ? null : psa.technician(assignee_psa_id),
  ])
  const { ticket_id, number, title, description, status, priority, board } = ticket
  return {
    ...{ ticket_id, number, title, status, priority, company, board },
    description: description || null,
    contact: contact?.name ?? null,
    assignee: assignee?.name ?? null,
    created_at: ticket.created_at.toISOString(),
  }
}

/** The status that ends the work on a ticket: the last of those that close it. */
async function closingStatus(psa: Psa): Promise<string> {
  const closed = (await psa.ticketStatuses()).filter(({ is_closed }) => is_closed)
  return known(closed.at(-1), 'status_unknown').name
}

export const TICKET_ACTS = {
  'ticket.read': inPsa(async (psa, { ticket_id }: OfTicket) =>
    detailsOf(psa, known(await psa.ticket(ticket_id), 'ticket_not_found')),
  ),
  'ticket.list_notes': inPsa(async (psa, { ticket_id }: OfTicket) => {
    known(await psa.ticket(ticket_id), 'ticket_not_found')
    return {
      notes: (await psa.notesOf(ticket_id)).map(
        ({ note_id, text, is_internal, author_name, created_at }) => ({
          ...{ note_id, text },
          visibility: is_internal ? 'INTERNAL' : 'PUBLIC',
          author: author_name,
          created_at: created_at.toISOString(),
        }),
      ),
    }
  }),
  'ticket.add_note': inPsa(
    async (
      psa,
      { ticket_id, text, visibility }: OfTicket & { text: string; visibility: 'INTERNAL' | 'PUBLIC' },
      { run, key }: Call,
    ) => {
      const note = { author_name: run.agent_name, is_internal: visibility === 'INTERNAL', text }
      return { note_id: (await psa.addNote(ticket_id, note, key)).note_id }
    },
  ),
  'ticket.set_status': changes(({ status }: { status: string }) => ({ status })),
  'ticket.set_priority': changes(({ priority }: { priority: string }) => ({ priority })),
  'ticket.set_queue': changes(({ queue }: { queue: string }) => ({ board: queue })),
  'ticket.close': inPsa(async (psa, { ticket_id }: OfTicket & { resolution: string }, { key }) => {
    if (!(await psa.ticket(ticket_id))) throw new ToolFailure('ticket_not_found')
    const changed = await psa.updateTicket(ticket_id, { status: await closingStatus(psa) }, key)
    return { ticket_id: changed.ticket_id }
  }),
}
