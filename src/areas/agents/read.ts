/** Single agents. */
import { callerOf, personIdOf } from '../../access/viewer.ts'
import { visibleAgents } from '../../access/visibility.ts'
import { scoped, sql } from '../../db/db.ts'
import { shaped } from '../../db/shaped.ts'
import { found } from '../../errors.ts'
import { batched } from '../../graphql/batched.ts'
import type { Context } from '../../graphql/context.ts'
import { numberOf } from '../../lib/ids.ts'
import { type AgentRow, type AgentSummaryRow, SUMMARY, WHOLE } from './columns.ts'

const READ = shaped<AgentRow>(
  'agents.read',
  (and) =>
    `select ${WHOLE} from agent a where a.tenant_id = $1 and a.environment = $2 and a.id = $4::int${and}`,
)

/** The agent, in whatever state; 404 where the caller does not see it. */
export async function readAgent(ctx: Context, agent_id: string): Promise<AgentRow> {
  const viewer = callerOf(ctx)
  const [row] = await READ(ctx, [personIdOf(viewer), numberOf(agent_id)], [visibleAgents(viewer)])
  return found(row, 'agent_not_found', agent_id)
}

const BY_ID = scoped(
  'agents.by_id',
  `select ${SUMMARY} from agent a where a.tenant_id = $1 and a.environment = $2 and a.id = any($4::int[])`,
)

/** The agent of something that the caller sees. */
export const agentOf = batched<number, AgentSummaryRow>(async (ctx, ids) => {
  const rows = await sql<AgentSummaryRow>(ctx, BY_ID, [personIdOf(callerOf(ctx)), [...new Set(ids)]])
  const agents = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => found(agents.get(id), 'agent_not_found', String(id)))
})
