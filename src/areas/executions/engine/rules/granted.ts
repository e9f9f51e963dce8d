/** The tools that a run may call. */
import { isGranted as agentHas, type GrantingAgent } from '../../../../tools/grants.ts'
import { READ_SKILL } from '../../../../tools/skills.ts'
import type { Tool } from '../../../../tools/tool.ts'

/** The actions of the agent, which are stored in the form that its rules made. */
export const actionsOf = ({ actions }: Pick<GrantingAgent, 'actions'>): { type: string; params: object }[] =>
  (Array.isArray(actions) ? actions : []).map(({ type, params }) => ({ type, params: params ?? {} }))

/** The agent of a run. */
interface RunningAgent extends GrantingAgent {
  skills: readonly unknown[]
}

// Contract silent: the tools of a CHAINED_ACTIONS agent are its actions, and no others.
/** True if the agent may call the tool. The run itself answers those of its own tools that it has. */
export function isGranted(tool: Tool, agent: RunningAgent): boolean {
  if (agent.autonomy_type === 'CHAINED_ACTIONS')
    return actionsOf(agent).some(({ type }) => type === tool.name)
  if (tool.name === READ_SKILL) return agent.skills.length > 0
  return tool.grant !== 'RUNTIME_ONLY' && agentHas(agent, tool)
}
