/** The tools that an agent has. */
import { kindOf } from '../connectors/systems.ts'
import { isObject } from '../lib/is-object.ts'
import type { Reach } from './reach/reach.ts'
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
  /** True if an enabled policy acts when the agent hands its work to people. */
  escalates: boolean
}

const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list = isObject(value) ? value[name] : undefined
  return Array.isArray(list) ? list : []
}

const isNamed = ({ toolbox, actions }: GrantingAgent, name: string): boolean =>
  listIn(toolbox, 'tools').includes(name) ||
  listIn({ actions }, 'actions').some((action) => isObject(action) && action.type === name)

/** True if the grant is of a system that the tool works in, of the tool's group, and of its access. */
function grants(grant: unknown, { access, permission_group, system, works_in }: Tool): boolean {
  if (!isObject(grant) || typeof grant.system !== 'string') return false
  if (!listIn(grant, 'permission_groups').includes(permission_group)) return false
  if (grant.access !== 'WRITE' && access === 'WRITE') return false
  return system === null ? kindOf(grant.system) === works_in : grant.system === system
}

/** True if the grant is of a system that the tool works in, or the tool in none, and reaches beyond one company. */
function crosses(grant: unknown, tool: Tool): boolean {
  if (!isObject(grant) || grant.cross_company !== true) return false
  if (tool.permission_group !== null) return grants(grant, tool)
  const fits =
    tool.works_in === null || (typeof grant.system === 'string' && kindOf(grant.system) === tool.works_in)
  return fits && (tool.access === 'READ' || grant.access === 'WRITE')
}

interface Work {
  entity_type: 'TICKET' | 'TIME_ENTRY' | 'NONE'
  entity_id: string | null
  psa_company_id: string | null
}

/** The reach of work on a ticket or time entry: its company. null: the work is on none, and so for no company. */
export const reachOfWork = ({ entity_type, entity_id, psa_company_id }: Work): Reach | null =>
  entity_type === 'NONE' || entity_id === null
    ? null
    : { psa_company_id, entity: { type: entity_type, id: entity_id }, contact_id: null }

// Contract silent: a tool of no permission group crosses companies by a grant of a system that it works in; one that works
// in no system, by any grant.
/** The reach of the agent's calls of the tool: that of its work, unless a grant names more. */
export const reachOf = (
  { integrations }: Pick<GrantingAgent, 'integrations'>,
  tool: Tool,
  work: Work,
): Reach | null =>
  listIn(integrations, 'grants').some((grant) => crosses(grant, tool)) ? null : reachOfWork(work)

/** The systems in which the agent reaches beyond the company of its work, as grants name them. */
export const crossedSystems = (integrations: unknown): string[] =>
  listIn(integrations, 'grants').flatMap((grant) =>
    isObject(grant) && grant.cross_company === true && typeof grant.system === 'string' ? grant.system : [],
  )

export const RAISE_ESCALATION = 'escalation.raise'

const SUPERVISION: readonly string[] = ['technician.ask', 'run.propose_plan']

// Contract silent: an action of an agent grants its tool as the toolbox does, and no tool of a permission group; the tools
// of a conversation belong to agents that chat.
/** True if the agent has the tool. Nothing that a model or a ticket says has a part in it. */
export function isGranted(agent: GrantingAgent, tool: Tool): boolean {
  switch (tool.grant) {
    case 'REQUESTABLE':
      return isNamed(agent, tool.name)
    case 'GROUP':
      return listIn(agent.integrations, 'grants').some((grant) => grants(grant, tool))
    case 'OWN_RULE':
      return tool.name === RAISE_ESCALATION
        ? agent.escalates
        : agent.supervised && SUPERVISION.includes(tool.name)
    case 'RUNTIME_ONLY':
      return tool.name !== 'conversation.reply' || agent.autonomy_type === 'CONVERSATIONAL'
  }
}

/** The tools that the agent has, by name. */
export const grantedTools = (agent: GrantingAgent): Tool[] => TOOLS.filter((tool) => isGranted(agent, tool))
