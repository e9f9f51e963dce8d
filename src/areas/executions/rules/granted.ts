/** The tools that a run may call. */
import { isObject } from '../../../lib/is-object.ts'
import type { Tool } from '../../../tools/tool.ts'

/** The parts of an agent that grant tools. */
export interface Grants {
  autonomy_type: string
  actions: unknown
  toolbox: unknown
  integrations: unknown
}

const listIn = (value: unknown, name: string): unknown[] => {
  const list = isObject(value) ? value[name] : null
  return Array.isArray(list) ? list : []
}

/** The actions of the agent, which are stored in the form that its rules made. */
export const actionsOf = ({ actions }: Pick<Grants, 'actions'>): { type: string; params: object }[] =>
  (Array.isArray(actions) ? actions : []).map(({ type, params }) => ({ type, params: params ?? {} }))

// Contract silent: an agent is granted the tools of its own actions, whoever wrote them into it.
/** True where the agent may call the tool. Tools of the run itself belong to agents that a model leads. */
export function isGranted(tool: Tool, agent: Grants): boolean {
  const { autonomy_type, toolbox, integrations } = agent
  if (actionsOf(agent).some(({ type }) => type === tool.name)) return true
  if (autonomy_type === 'CHAINED_ACTIONS') return false
  if (tool.grant === 'RUNTIME_ONLY' || tool.grant === 'OWN_RULE') return true
  if (tool.grant === 'REQUESTABLE') return listIn(toolbox, 'tools').includes(tool.name)
  return listIn(integrations, 'grants').some(
    (grant) =>
      listIn(grant, 'permission_groups').includes(tool.permission_group) &&
      (tool.access === 'READ' || (isObject(grant) && grant.access === 'WRITE')),
  )
}
