/** The tickets that agents work on now. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { LIVE_STATUSES } from './rules/life.ts'

const TICKETS = scoped(
  'executions.live_tickets',
  `select distinct e.entity_id as ticket_id from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.entity_type = 'TICKET' and e.entity_id is not null
     and e.status in (${LIVE_STATUSES.map((status) => `'${status}'`).join(', ')})`,
)

/** The ids of the tickets of all executions that are not final, whoever sees them. */
export async function liveTicketIds(ctx: DatabaseContext): Promise<string[]> {
  const rows = await sql<{ ticket_id: string }>(ctx, TICKETS)
  return rows.map(({ ticket_id }) => ticket_id)
}
