/** Rules on an agent as it would be stored, whatever body makes it so. They take malformed values too. */
import { CronExpressionParser } from 'cron-parser'
import { isObject } from '../../../../lib/is-object.ts'
import { parseInstant } from '../../../../lib/time.ts'
import { isZoneName, suggestions } from '../../../../lib/timezone.ts'
import { accepts, MAX_INT } from './config-objects.ts'
import { AUTONOMY_TYPES, ENTITY_TYPES, entitiesOf, isAllowed, TRIGGER_TYPES, triggersOf } from './matrix.ts'
import type { FieldProblem } from './schema-problems.ts'

/** The data of the tenant that rules need. */
export interface Facts {
  /** The systems that are connected; null if the warnings about them are told later. */
  connected: ReadonlySet<string> | null
  /** The technicians there are, among those that the body names. */
  technicians: ReadonlySet<number>
}

export type Candidate = Readonly<Record<string, unknown>>

type Rule = (agent: Candidate, facts: Facts) => FieldProblem[]

const problem = (field: string, code: string, message: string): FieldProblem[] => [{ field, code, message }]

const among = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value)

const combination: Rule = ({ autonomy_type, trigger_type, entity_type }) => {
  const autonomy = among(AUTONOMY_TYPES, autonomy_type)
  const trigger = among(TRIGGER_TYPES, trigger_type)
  const entity = among(ENTITY_TYPES, entity_type)
  if (!autonomy || !trigger) return []
  const triggers = triggersOf(autonomy)
  if (!triggers.includes(trigger)) {
    const message = `an agent of ${autonomy} is made to run by ${triggers.join(', ')}`
    return problem('trigger_type', 'combination_not_allowed', message)
  }
  if (!entity || isAllowed(autonomy, trigger, entity)) return []
  const message = `a ${trigger} agent of ${autonomy} works on ${entitiesOf(autonomy, trigger).join(', ')}`
  return problem('entity_type', 'combination_not_allowed', message)
}

const settingsRequired: Rule = ({ agent_settings }) =>
  agent_settings == null ? problem('agent_settings', 'agent_settings_required', 'is required') : []

const actionsRequired: Rule = ({ autonomy_type, actions }) => {
  const isThere = Array.isArray(actions) ? actions.length > 0 : actions != null
  if (autonomy_type !== 'CHAINED_ACTIONS' || isThere) return []
  return problem('actions', 'actions_required', 'must have an item')
}

const scheduleRequired: Rule = ({ autonomy_type, trigger_type, schedule }) => {
  const autonomy = among(AUTONOMY_TYPES, autonomy_type)
  const takesOne = autonomy && accepts('schedule', 'CREATE', autonomy)
  if (!takesOne || trigger_type !== 'SCHEDULED' || schedule != null) return []
  return problem('schedule', 'schedule_required', 'is required by a SCHEDULED agent')
}

// Contract silent: cron has five fields, without seconds, without names such as @daily, and without H, which stands for
// another minute each time that it is read.
const IS_RANDOM = /(?<!t)h/i

function isCron(text: string): boolean {
  if (text.trim().split(/\s+/).length !== 5 || IS_RANDOM.test(text)) return false
  try {
    CronExpressionParser.parse(text)
    return true
  } catch {
    return false
  }
}

const cron: Rule = ({ schedule }) =>
  isObject(schedule) && typeof schedule.cron === 'string' && !isCron(schedule.cron)
    ? problem(
        'schedule.cron',
        'cron_invalid',
        'must be five fields of cron that name an instant, such as 0 7 * * 1',
      )
    : []

const MEANT = 3

const zone: Rule = ({ schedule }) => {
  if (!isObject(schedule) || typeof schedule.timezone !== 'string' || isZoneName(schedule.timezone)) return []
  const meant = suggestions(schedule.timezone.slice(0, 64)).slice(0, MEANT)
  const hint = meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : ''
  return problem('schedule.timezone', 'timezone_invalid', `must be the name of an IANA time zone${hint}`)
}

const scheduleWindow: Rule = ({ schedule }) => {
  if (!isObject(schedule)) return []
  const ends = (['start_at', 'end_at'] as const).map((name) => {
    const text = schedule[name]
    return { field: `schedule.${name}`, text, at: typeof text === 'string' ? parseInstant(text) : null }
  })
  const unreadable = ends.filter(({ text, at }) => typeof text === 'string' && at === null)
  if (unreadable.length > 0)
    return unreadable.flatMap(({ field }) =>
      problem(field, 'schedule_window_invalid', 'must be an RFC 3339 date-time or date'),
    )
  const [start, end] = ends.map(({ at }) => at)
  return start && end && end <= start
    ? problem('schedule.end_at', 'schedule_window_invalid', 'must be after start_at')
    : []
}

const idsIn = (settings: unknown): unknown[] =>
  isObject(settings) && Array.isArray(settings.supervisor_technician_ids)
    ? settings.supervisor_technician_ids
    : []

const supervisorsRequired: Rule = ({ agent_settings }) => {
  if (!isObject(agent_settings) || agent_settings.supervised !== true || idsIn(agent_settings).length > 0)
    return []
  const field = 'agent_settings.supervisor_technician_ids'
  return problem(field, 'supervisors_required', 'must name the technicians who approve')
}

const SETTINGS = ['agent_settings', 'agent_settings_edits'] as const

const isId = (id: unknown): id is number => Number.isInteger(id) && Math.abs(id as number) <= MAX_INT

/** The technicians that a body names. */
export const technicianIdsIn = (body: Candidate): number[] =>
  SETTINGS.flatMap((name) => idsIn(body[name])).filter(isId)

/** The supervisors in the settings of a body who are no technicians of the tenant. */
export const supervisorProblems: Rule = (body, { technicians }) =>
  SETTINGS.flatMap((name) =>
    idsIn(body[name]).flatMap((id, index) => {
      if (typeof id !== 'number' || technicians.has(id)) return []
      const field = `${name}.supervisor_technician_ids.${index}`
      return problem(field, 'supervisor_unknown', 'is not a technician of the tenant')
    }),
  )

/** The systems that are granted and not connected, as warnings. */
export function connectionWarnings(
  { integrations }: Candidate,
  { connected }: Pick<Facts, 'connected'>,
): string[] {
  if (connected === null) return []
  const grants = isObject(integrations) && Array.isArray(integrations.grants) ? integrations.grants : []
  const systems = new Set<unknown>(grants.map((grant) => (isObject(grant) ? grant.system : null)))
  return [...systems].flatMap((system) =>
    typeof system === 'string' && !connected.has(system) ? [`integration_not_connected: ${system}`] : [],
  )
}

/** Each rule with the fields of the body whose change may break it. */
const RULES: readonly (readonly [fields: readonly string[], rule: Rule])[] = [
  [['autonomy_type', 'trigger_type', 'entity_type'], combination],
  [['agent_settings'], settingsRequired],
  [['agent_settings', 'agent_settings_edits'], supervisorsRequired],
  [['actions'], actionsRequired],
  [['trigger_type', 'schedule'], scheduleRequired],
  [['schedule'], cron],
  [['schedule'], zone],
  [['schedule'], scheduleWindow],
]

/** The problems of the agent that a change of these fields makes. */
export const agentProblems = (agent: Candidate, facts: Facts, changed: ReadonlySet<string>): FieldProblem[] =>
  RULES.flatMap(([fields, rule]) => (fields.some((field) => changed.has(field)) ? rule(agent, facts) : []))
