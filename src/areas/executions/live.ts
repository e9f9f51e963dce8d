/** The tickets that agents work on now. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { LIVE_STATUSES } from './engine/rules/transitions.ts'

/** The condition, after the name of the table, that an execution is live. */
export const IS_LIVE = `status in (${LIVE_STATUSES.map((status) => `'${status}'`).join(', ')})`

const OF_AGENT = scoped(
  'executions.live_entities',
  `select e.entity_id from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.agent_id = $3 and e.entity_id is not null
     and e.${IS_LIVE}`,
)

/** The ids of the tickets or time entries on which an execution of the agent is live. */
export async function liveEntityIds(ctx: DatabaseContext, agent_id: number): Promise<ReadonlySet<string>> {
  const rows = await sql<{ entity_id: string }>(ctx, OF_AGENT, [agent_id])
  return new Set(rows.map(({ entity_id }) => entity_id))
}

// Those that wait for a slot come first, so that none of them is given one that becomes free.
const STARTED_BY = scoped(
  'executions.live_until',
  `select e.execution_id, a.name as agent_name from execution e
   join agent a on a.tenant_id = e.tenant_id and a.environment = e.environment and a.id = e.agent_id
   where e.tenant_id = $1 and e.environment = $2 and e.${IS_LIVE} and e.created_at <= $3::timestamptz
   order by e.status <> 'NEW', e.created_at limit 500`,
)

/** Live executions that were accepted until then, at most 500. */
export const liveUntil = (
  ctx: DatabaseContext,
  until: Date,
): Promise<{ execution_id: string; agent_name: string }[]> => sql(ctx, STARTED_BY, [until])

const TICKETS = scoped(
  'executions.live_tickets',
  `select distinct e.entity_id as ticket_id from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.entity_type = 'TICKET' and e.entity_id is not null
     and e.${IS_LIVE}`,
)

/** The ids of the tickets of all executions that are not final, also those that the caller does not see. */
export async function liveTicketIds(ctx: DatabaseContext): Promise<string[]> {
  const rows = await sql<{ ticket_id: string }>(ctx, TICKETS)
  return rows.map(({ ticket_id }) => ticket_id)
}
