/** The agents that changes in the PSA start. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import type { AgentRow } from './agent.ts'
import { columns, RUNNABLE } from './queries.ts'

const WANTED = new Set([...RUNNABLE, 'callback_settings'])

const SELECTING = scoped(
  'agents.selecting',
  `select ${columns.select(WANTED)} from agent a
   where a.tenant_id = $1 and a.environment = $2 and a.state = 'ACTIVE' and a.trigger_type = 'TRIGGERED'
     and a.entity_type = $3::text::entity_type and a.callback_settings -> 'change_types' ?| $4::text[]
   order by a.id`,
)

/** The ACTIVE agents that select one of the changes, by `id`. */
export const agentsSelecting = (
  ctx: DatabaseContext,
  entity_type: 'TICKET' | 'TIME_ENTRY',
  change_types: readonly string[],
): Promise<AgentRow[]> => sql<AgentRow>(ctx, SELECTING, [entity_type, change_types])

const STATES = scoped(
  'agents.triggered_states',
  `select a.id, a.state from agent a
   where a.tenant_id = $1 and a.environment = $2 and a.id = any($3::int[]) and a.trigger_type = 'TRIGGERED'
   order by a.id for share`,
)

/** The states of those of the agents that changes still start, locked until the transaction ends. */
export async function lockTriggered(
  ctx: DatabaseContext,
  ids: readonly number[],
): Promise<ReadonlyMap<number, AgentRow['state']>> {
  const rows = await sql<Pick<AgentRow, 'id' | 'state'>>(ctx, STATES, [ids])
  return new Map(rows.map(({ id, state }) => [id, state]))
}
