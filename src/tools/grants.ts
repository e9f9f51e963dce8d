/** The tools that an agent has. */
import { kindOf } from '../connectors/systems.ts'
import { isObject } from '../lib/is-object.ts'
import { TOOLS } from './registry.ts'
import type { Tool } from './tool.ts'

/** An agent as far as its tools depend on it, with the config objects as they are stored. */
export interface GrantingAgent {
  autonomy_type: string
  toolbox: unknown
  integrations: unknown
  actions: unknown
  /** True for a supervised run: by the agent's own setting, or by who started it. */
  supervised: boolean
}

const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list = isObject(value) ? value[name] : undefined
  return Array.isArray(list) ? list : []
}

const isNamed = ({ toolbox, actions }: GrantingAgent, name: string): boolean =>
  listIn(toolbox, 'tools').includes(name) ||
  listIn({ actions }, 'actions').some((action) => isObject(action) && action.type === name)

/** True where the grant is of a system that the tool works in, of the tool's group, and of its access. */
function grants(grant: unknown, { access, permission_group, system, works_in }: Tool): boolean {
  if (!isObject(grant) || typeof grant.system !== 'string') return false
  if (!listIn(grant, 'permission_groups').includes(permission_group)) return false
  if (grant.access !== 'WRITE' && access === 'WRITE') return false
  return system === null ? kindOf(grant.system) === works_in : grant.system === system
}

const SUPERVISION: readonly string[] = ['technician.ask', 'run.propose_plan']

// Contract silent: an action of an agent grants its tool as the toolbox does, and no tool of a permission group; the tools
// of a conversation belong to agents that chat. No agent has an escalation policy, so none has the tool for it.
/** True where the agent has the tool. Nothing that a model or a ticket says has a part in it. */
export function isGranted(agent: GrantingAgent, tool: Tool): boolean {
  switch (tool.grant) {
    case 'REQUESTABLE':
      return isNamed(agent, tool.name)
    case 'GROUP':
      return listIn(agent.integrations, 'grants').some((grant) => grants(grant, tool))
    case 'OWN_RULE':
      return agent.supervised && SUPERVISION.includes(tool.name)
    case 'RUNTIME_ONLY':
      return tool.name !== 'conversation.reply' || agent.autonomy_type === 'CONVERSATIONAL'
  }
}

/** The tools that the agent has, by name. */
export const grantedTools = (agent: GrantingAgent): Tool[] => TOOLS.filter((tool) => isGranted(agent, tool))
