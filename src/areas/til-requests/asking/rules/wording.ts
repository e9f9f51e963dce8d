/** Requests of agents in the words that technicians read. */
import type { Tool } from '../../../../tools/tool.ts'
import type { AskedOf } from '../../rules.ts'

export interface PlanStep {
  step: number
  text: string
  access: 'READ' | 'WRITE'
}

interface Words {
  title: string
  summary: string
}

/** The agent that asks, and the ticket or time entry that it works on. */
export interface Asking {
  /** The systems in which the agent reaches beyond the company of its work. */
  crossed_systems: readonly string[]
  agent_name: string
  entity_id: string | null
  entity_number: string | null
}

const MAX_TITLE = 200

const titled = (title: string, { entity_number, entity_id }: Asking): string => {
  const entity = entity_number ?? entity_id
  return (entity === null ? title : `${title}: ${entity}`).slice(0, MAX_TITLE)
}

interface Why {
  /** The agent's reason. */
  reason: string | null
  asked_of: AskedOf
  /** The call in the words of its tool; null or absent: the tool has none. */
  words?: string | null
}

const deciders = (asked_of: AskedOf, { permission_group }: Pick<Tool, 'permission_group'>): string => {
  if (asked_of === 'SUPERVISORS') return 'The supervisors of the run decide.'
  return permission_group
    ? `The approvers of the permission group ${permission_group} decide.`
    : 'Those who approve by default decide.'
}

/** The request to approve a call of the tool. */
export const writeInWords = (
  tool: Pick<Tool, 'title' | 'description' | 'permission_group'>,
  asking: Asking,
  { reason, asked_of, words }: Why,
): Words => ({
  title: titled(tool.title, asking),
  summary: [
    `${asking.agent_name} asks for this change. ${tool.description} ${deciders(asked_of, tool)}`,
    ...(words ? [words] : []),
    ...(reason ? [`The agent’s reason: ${reason}`] : []),
  ].join(' '),
})

/** The request to approve a plan. */
export function planInWords(steps: readonly PlanStep[], asking: Asking): Words {
  const changes = steps.filter(({ access }) => access === 'WRITE').length
  const count = `${steps.length} step${steps.length === 1 ? '' : 's'}`
  const which = `of which ${changes} change${changes === 1 ? 's' : ''} something`
  return {
    title: titled('Plan', asking),
    summary: [
      `${asking.agent_name} shows its plan before its first change: ${count}, ${which}.`,
      ...(asking.crossed_systems.length === 0
        ? []
        : [`It may reach beyond the company of its work in: ${asking.crossed_systems.join(', ')}.`]),
    ].join(' '),
  }
}

/** A write of which nobody knows whether the other system has it. */
export interface TriedWrite {
  tool: Pick<Tool, 'name' | 'title' | 'access'>
  arguments: object
  /** The name of the other system. */
  system: string
  /** The page of the ticket for people, or else the number that they know it by. null: it is of no ticket. */
  ticket: string | null
}

/** The question whether the write was made. */
export function triedInWords({ tool, arguments: params, system, ticket }: TriedWrite): string {
  const [step] = planOfActions([{ type: tool.name, params }], () => tool)
  return [
    `Is this there? ${step?.text} It was tried, no answer came, and ${system} does not tell whether it has it.`,
    ...(ticket === null ? [] : [`The ticket: ${ticket}`]),
  ].join(' ')
}

/** The question of the agent. */
export const questionInWords = (question: string, asking: Asking): Words => ({
  title: titled('Question', asking),
  summary: `${asking.agent_name} asks: ${question}`,
})

const MAX_VALUE = 80

const valueInWords = (value: unknown): string => {
  const whole = typeof value === 'string' ? value : JSON.stringify(value)
  const text = whole.length > MAX_VALUE ? `${whole.slice(0, MAX_VALUE)}…` : whole
  return typeof value === 'string' && /\s/.test(value) ? `“${text}”` : text
}

/** The actions of an agent as the steps of its plan. */
export const planOfActions = (
  actions: readonly { type: string; params: object }[],
  toolNamed: (name: string) => Pick<Tool, 'title' | 'access'> | undefined,
): PlanStep[] =>
  actions.map(({ type, params }, index) => {
    const tool = toolNamed(type)
    const values = Object.entries(params).map(([name, value]) => `${name}: ${valueInWords(value)}`)
    const title = tool?.title ?? type
    return {
      step: index + 1,
      text: values.length === 0 ? `${title}.` : `${title} (${values.join(', ')}).`,
      access: tool?.access ?? 'READ',
    }
  })

// Contract silent: a step of a plan that the agent put into words counts as one that changes something.
/** The steps that an agent put into words. */
export const planOfWords = (steps: readonly string[]): PlanStep[] =>
  steps.map((text, index) => ({ step: index + 1, text, access: 'WRITE' }))
