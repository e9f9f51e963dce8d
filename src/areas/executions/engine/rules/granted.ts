/** The tools that a run may call. */
import { isGranted as agentHas, type GrantingAgent } from '../../../../tools/grants.ts'
import type { Tool } from '../../../../tools/tool.ts'

/** The actions of the agent, which are stored in the form that its rules made. */
export const actionsOf = ({ actions }: Pick<GrantingAgent, 'actions'>): { type: string; params: object }[] =>
  (Array.isArray(actions) ? actions : []).map(({ type, params }) => ({ type, params: params ?? {} }))

// Contract silent: the tools of a CHAINED_ACTIONS agent are its actions, and no others.
/** True if the agent may call the tool. The run itself answers those of its own tools that it has. */
export const isGranted = (tool: Tool, agent: GrantingAgent): boolean =>
  agent.autonomy_type === 'CHAINED_ACTIONS'
    ? actionsOf(agent).some(({ type }) => type === tool.name)
    : tool.grant !== 'RUNTIME_ONLY' && agentHas(agent, tool)
