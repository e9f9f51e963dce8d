/** The writes of dispatch on tickets, as callbacks know the service’s own changes. */
import { type DatabaseContext, scoped, sql } from '../../../db/db.ts'
import type { OwnWrite } from '../../callbacks/index.ts'
import type { Assignment, DecisionRow } from '../decision.ts'

const WRITES = scoped(
  'dispatch.writes_on_ticket',
  `select d.assignment, d.status from dispatch_decision d
   where d.tenant_id = $1 and d.environment = $2 and d.ticket_id = $3::text and d.assignment is not null
     and (d.status in ('SUGGESTED', 'NONE_FITS')
       or d.status in ('APPLIED', 'OVERRIDDEN') and d.applied_at >= $4::timestamptz)
   order by d.created_at desc limit 50`,
)

/** The technicians whom dispatch gave the ticket since then, or may have given it, as the writes of tools. */
export async function assignmentsOfTicketSince(
  ctx: DatabaseContext,
  ticket_id: string,
  since: Date,
): Promise<OwnWrite[]> {
  type Stored = { assignment: Assignment } & Pick<DecisionRow, 'status'>
  const rows = await sql<Stored>(ctx, WRITES, [ticket_id, since])
  return rows.map(({ assignment: { technician_id }, status }) => ({
    tool_name: 'ticket.assign',
    arguments: { technician_id },
    result: status === 'APPLIED' || status === 'OVERRIDDEN' ? { ticket_id } : null,
  }))
}
