/** The change of a ticket at the opening of its escalation: one write, whose key stays the same at every attempt. */
import { PortRefusal } from '../../connectors/port.ts'
import { type Psa, psaOf } from '../../connectors/psa.ts'
import { type DatabaseContext, db, scoped, sql } from '../../db/db.ts'
import type { UnboundJobContext } from '../../jobs/job.ts'
import type { OwnWrite } from '../callbacks/index.ts'
import { type TicketChange, ticketOf } from './rules.ts'

type Changes = Pick<Parameters<Psa['updateTicket']>[1], 'status' | 'board' | 'assignee_psa_id'>

const changesOf = ({ status, queue, remove_assignee }: TicketChange): Changes => ({
  ...(status !== null && { status }),
  ...(queue !== null && { board: queue }),
  ...(remove_assignee && { assignee_psa_id: null }),
})

const CHANGED = scoped(
  'escalation.ticket_changed',
  `update escalation_event v set ticket_changed = true, updated_at = $4::timestamptz
   where v.tenant_id = $1 and v.environment = $2 and v.id = $3::text and not v.ticket_changed`,
)

interface Write {
  ticket_id: string
  changes: Changes
  key: string
}

/** True if an earlier attempt made the write. Where nobody can tell, a ticket that has what was asked for shows it. */
async function isMade(psa: Psa, { ticket_id, changes, key }: Write): Promise<boolean> {
  const outcome = await psa.outcomeOf(key, { ticket_id, changes })
  if (outcome !== 'UNKNOWN') return outcome === 'MADE'
  const ticket = await psa.ticket(ticket_id)
  const fields = Object.keys(changes) as (keyof Changes)[]
  return ticket !== null && fields.every((field) => ticket[field] === changes[field])
}

// Contract silent: a ticket that was closed meanwhile stays closed.
const isOver = async (psa: Psa, ticket_id: string): Promise<boolean> =>
  (await psa.ticket(ticket_id))?.closed_at != null

/** Changes the ticket, also if a person has acknowledged meanwhile. A change that the PSA refuses is not tried again. */
export async function changeTicket(
  ctx: UnboundJobContext,
  { event_id }: { event_id: string },
): Promise<void> {
  const where = { id: event_id, ticket_changed: false }
  const escalation = await db(ctx).escalationEvent.findFirst({ where })
  const ticket_id = escalation ? ticketOf(escalation.subject) : null
  const planned = escalation?.ticket_change as TicketChange | null | undefined
  if (!planned || ticket_id === null) return
  const write: Write = {
    ticket_id,
    changes: changesOf(planned),
    key: `${event_id}/change_ticket`,
  }
  // The PSA itself tells the work of an earlier attempt.
  const psa = psaOf({ ...ctx, fresh: true })
  try {
    const is_repeated = ctx.attempt > 1 || ctx.taken > 1
    const made = is_repeated && (await isMade(psa, write))
    if (!made && (await isOver(psa, ticket_id))) return
    if (!made) await psa.updateTicket(ticket_id, write.changes, write.key)
  } catch (error) {
    if (!(error instanceof PortRefusal)) throw error
    ctx.log.warn({ event_id, reason: error.reason }, 'the ticket of an escalation was not changed')
    return
  }
  ctx.now = ctx.services.now()
  await ctx.commit(() => sql(ctx, CHANGED, [event_id, ctx.now]))
}

// A change is tried for about 40 minutes after the opening. One that was made was so before the escalation last changed.
const CHANGES = scoped(
  'escalation.changes_of_ticket',
  `select v.ticket_change, v.ticket_changed from escalation_event v
   where v.tenant_id = $1 and v.environment = $2 and v.entity_id = $3::text and v.subject = 'TICKET/' || $3::text
     and v.ticket_change is not null and v.created_at >= $4::timestamptz - interval '1 hour'
     and (not v.ticket_changed or v.updated_at >= $4::timestamptz)
   order by v.created_at desc limit 50`,
)

/** The changes of the ticket by escalations since then, if they were made or may have been, as the writes of tools. */
export async function changesOfTicketSince(
  ctx: DatabaseContext,
  ticket_id: string,
  since: Date,
): Promise<OwnWrite[]> {
  const rows = await sql<{ ticket_change: TicketChange; ticket_changed: boolean }>(ctx, CHANGES, [
    ticket_id,
    since,
  ])
  return rows.flatMap(({ ticket_change: { status, queue, remove_assignee }, ticket_changed }) => {
    const result = ticket_changed ? { ticket_id } : null
    return [
      ...(status === null ? [] : [{ tool_name: 'ticket.set_status', arguments: { status }, result }]),
      ...(queue === null ? [] : [{ tool_name: 'ticket.set_queue', arguments: { queue }, result }]),
      ...(remove_assignee
        ? [{ tool_name: 'ticket.assign', arguments: { technician_id: null }, result }]
        : []),
    ]
  })
}
