/** The tickets that agents work on now. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { joinAgent } from '../agents/index.ts'
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
   ${joinAgent('e')}
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

const LATEST = scoped(
  'executions.latest_on_entity',
  `select e.agent_id, bool_or(e.${IS_LIVE}) as is_live, max(e.created_at) as last_run_at from execution e
   where e.tenant_id = $1 and e.environment = $2 and e.entity_id = $3::text and e.agent_id = any($4::int[])
   group by e.agent_id`,
)

interface LatestRun {
  agent_id: number
  is_live: boolean
  last_run_at: Date
}

/** For each of the agents that has worked on the ticket or time entry: whether it does now, and when it last began. */
export async function latestRuns(
  ctx: DatabaseContext,
  entity_id: string,
  agent_ids: readonly number[],
): Promise<ReadonlyMap<number, LatestRun>> {
  const rows = await sql<LatestRun>(ctx, LATEST, [entity_id, agent_ids])
  return new Map(rows.map((run) => [run.agent_id, run]))
}

/** A write of a tool that was made, or is being made, for a ticket or time entry. */
interface StoredWrite {
  tool_name: string
  arguments: unknown
  result: unknown
}

const WRITES = scoped(
  'executions.writes_on_entity',
  `select c.tool_name, c.arguments, c.result from execution e
   join tool_call c on c.tenant_id = e.tenant_id and c.environment = e.environment
     and c.execution_id = e.execution_id
   where e.tenant_id = $1 and e.environment = $2 and e.entity_id = $3::text
     and c.started_at >= $4::timestamptz and c.tool_name = any($5::text[])
     and c.status in ('STARTED', 'SUCCEEDED', 'TIMED_OUT')
   order by c.started_at desc limit 500`,
)

/** The calls of these tools since then by executions on the ticket or time entry, if they were made or may have been. */
export const writesOnEntity = (
  ctx: DatabaseContext,
  entity_id: string,
  since: Date,
  tools: readonly string[],
): Promise<StoredWrite[]> => sql(ctx, WRITES, [entity_id, since, tools])
