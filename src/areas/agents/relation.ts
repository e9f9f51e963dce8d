/** The agent of a row, as a field of other areas. */
import { scope } from '../../access/policies/policies.ts'
import { loadedBy } from '../../schema/relations.ts'
import { wantedFields } from '../../schema/selection.ts'
import { agentIfSeen } from './queries.ts'

/** Options of the relation `agent` of a row with `agent_id`: null without an agent, and for callers who do not see it. */
export const AGENT_IF_SEEN = {
  nullable: true,
  graph_only: true,
  access: scope('agents:read'),
  ...loadedBy<{ agent_id: number | null }>()(['agent_id'], ({ agent_id: id }, ctx, info) =>
    id === null ? null : agentIfSeen(ctx, { id, fields: wantedFields(info) }),
  ),
} as const
