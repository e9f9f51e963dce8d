/** Single agents. */
import { callerOf, personIdOf } from '../../access/viewer.ts'
import { visibleAgents } from '../../access/visibility.ts'
import { scoped, sql } from '../../db/db.ts'
import { shaped } from '../../db/shaped.ts'
import { found } from '../../errors.ts'
import type { Context } from '../../gateway/context.ts'
import { numberOf } from '../../lib/ids.ts'
import { batched } from '../../schema/data-loader.ts'
import { type AgentRow, type AgentSummaryRow, PERSON, summaryColumns, wholeColumns } from './columns.ts'

const READ = shaped<AgentRow>(
  'agents.read',
  (and, columns) =>
    `select ${columns} from agent a where a.tenant_id = $1 and a.environment = $2 and a.id = $4::int and ${PERSON}${and}`,
)

/** The agent, in whatever state, with the fields that are wanted; 404 where the caller does not see it. */
export async function readAgent(
  ctx: Context,
  agent_id: string,
  wanted: ReadonlySet<string>,
): Promise<AgentRow> {
  const viewer = callerOf(ctx)
  const own = [personIdOf(viewer), numberOf(agent_id)]
  const [row] = await READ(ctx, own, [visibleAgents(viewer)], wholeColumns(wanted))
  return found(row, 'agent_not_found', agent_id)
}

const BY_ID = scoped(
  'agents.by_id',
  `select ${summaryColumns().text} from agent a where a.tenant_id = $1 and a.environment = $2 and a.id = any($4::int[])`,
)

/** The agent of something that the caller sees. */
export const agentOf = batched<number, AgentSummaryRow>(async (ctx, ids) => {
  const rows = await sql<AgentSummaryRow>(ctx, BY_ID, [personIdOf(callerOf(ctx)), [...new Set(ids)]])
  const agents = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => found(agents.get(id), 'agent_not_found', String(id)))
})
