/** The rules of policies: how what a caller gives becomes a policy, and what is wrong with it. */
import { bodyProblem, type FieldError } from '../../../errors/errors.ts'
import type { Step, TicketChange, Trigger } from '../rules.ts'

interface GivenStep {
  wait_minutes?: number | null | undefined
  target_type: Step['target_type']
  target_ids: readonly (string | number)[]
  notify_via?: Step['notify_via'] | null | undefined
}

interface GivenChange {
  status?: string | null | undefined
  queue?: string | null | undefined
  remove_assignee?: boolean | null | undefined
}

/** The fields that a caller gives. */
export interface Given {
  name?: string | null | undefined
  enabled?: boolean | null | undefined
  is_default?: boolean | null | undefined
  agent_ids?: readonly number[] | null | undefined
  triggers?: readonly Trigger[] | null | undefined
  stalled_minutes?: number | null | undefined
  stalled_statuses?: readonly string[] | null | undefined
  steps?: readonly GivenStep[] | null | undefined
  ticket_change?: GivenChange | null | undefined
  respect_business_hours?: boolean | null | undefined
}

/** The content of a policy, as it is stored. */
export interface Content {
  name: string
  enabled: boolean
  agent_ids: number[]
  triggers: Trigger[]
  stalled_minutes: number | null
  stalled_statuses: string[]
  steps: Step[]
  ticket_change: TicketChange | null
  respect_business_hours: boolean
}

const NEW: Content = {
  name: '',
  enabled: true,
  agent_ids: [],
  triggers: [],
  stalled_minutes: null,
  stalled_statuses: [],
  steps: [],
  ticket_change: null,
  respect_business_hours: false,
}

const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)]

const OF_PEOPLE: readonly Step['target_type'][] = ['TECHNICIANS', 'SCHEDULE']

const stepOf = ({ wait_minutes, target_type, target_ids, notify_via }: GivenStep): Step => ({
  wait_minutes: wait_minutes ?? 0,
  target_type,
  target_ids: unique(target_ids.map(String)),
  notify_via: unique(notify_via ?? (OF_PEOPLE.includes(target_type) ? ['INBOX'] : [])),
})

const changeOf = ({ status, queue, remove_assignee }: GivenChange): TicketChange => ({
  status: status ?? null,
  queue: queue ?? null,
  remove_assignee: remove_assignee ?? false,
})

const STALLED: Trigger = 'TICKET_STALLED'

/** The policy after the change. What tells when tickets stall goes with its trigger. */
export function contentOf(given: Given, stored: Content = NEW): Content {
  const triggers = unique(given.triggers ?? stored.triggers)
  const keeps = triggers.includes(STALLED)
  const known = keeps ? stored : NEW
  return {
    name: given.name ?? stored.name,
    enabled: given.enabled ?? stored.enabled,
    agent_ids: given.agent_ids ? unique(given.agent_ids).sort((a, b) => a - b) : stored.agent_ids,
    triggers,
    stalled_minutes: given.stalled_minutes === undefined ? known.stalled_minutes : given.stalled_minutes,
    stalled_statuses: given.stalled_statuses ? unique(given.stalled_statuses) : known.stalled_statuses,
    steps: given.steps ? given.steps.map(stepOf) : stored.steps,
    ticket_change:
      given.ticket_change === undefined
        ? stored.ticket_change
        : given.ticket_change && changeOf(given.ticket_change),
    respect_business_hours: given.respect_business_hours ?? stored.respect_business_hours,
  }
}

/** The problems of a step’s own fields. */
function stepProblems({ target_type, notify_via }: Step, index: number): FieldError[] {
  const field = `steps.${index}.notify_via`
  if (OF_PEOPLE.includes(target_type))
    return notify_via.length > 0
      ? []
      : [bodyProblem(field, 'required', 'must have INBOX or EMAIL for technicians')]
  return notify_via.length === 0 ? [] : [bodyProblem(field, 'target', `is not for ${target_type}`)]
}

/** The problems of a policy that its fields have with each other. */
export function contentProblems(content: Content): FieldError[] {
  const { triggers, stalled_minutes, stalled_statuses, steps, ticket_change } = content
  const problems = steps.flatMap(stepProblems)
  const stalls = triggers.includes(STALLED)
  const missing = 'must be given with TICKET_STALLED'
  const alone = 'is only for TICKET_STALLED'
  if (stalls && stalled_minutes === null) problems.push(bodyProblem('stalled_minutes', 'required', missing))
  if (stalls && stalled_statuses.length === 0)
    problems.push(bodyProblem('stalled_statuses', 'required', missing))
  if (!stalls && stalled_minutes !== null) problems.push(bodyProblem('stalled_minutes', 'trigger', alone))
  if (!stalls && stalled_statuses.length > 0) problems.push(bodyProblem('stalled_statuses', 'trigger', alone))
  if (ticket_change && !ticket_change.status && !ticket_change.queue && !ticket_change.remove_assignee)
    problems.push(
      bodyProblem('ticket_change', 'required', 'must change the status, the queue or the technician'),
    )
  return problems
}

/** The targets of the policy’s steps of a kind, each once, without those that are known. */
export const newTargets = (
  steps: readonly Step[],
  type: Step['target_type'],
  known: readonly Step[],
): string[] => {
  const idsIn = (all: readonly Step[]) =>
    all.flatMap(({ target_type, target_ids }) => (target_type === type ? target_ids : []))
  return [...new Set(idsIn(steps)).difference(new Set(idsIn(known)))]
}

const NOUNS: Readonly<Record<Step['target_type'], string>> = {
  TECHNICIANS: 'technician of the tenant',
  SCHEDULE: 'schedule of the tenant',
  CHANNEL: 'channel of the tenant for technicians',
  WEBHOOK_ENDPOINT: 'webhook endpoint of the tenant',
}

/** The problems of targets that are unknown, by the kind of target. */
export const targetProblems = (
  steps: readonly Step[],
  unknown: ReadonlyMap<Step['target_type'], ReadonlySet<string>>,
): FieldError[] =>
  steps.flatMap(({ target_type, target_ids }, step) =>
    target_ids.flatMap((id, index) =>
      unknown.get(target_type)?.has(id)
        ? [bodyProblem(`steps.${step}.target_ids.${index}`, 'unknown', `is no ${NOUNS[target_type]}`)]
        : [],
    ),
  )
