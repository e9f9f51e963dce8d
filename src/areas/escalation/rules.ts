/** The rules of escalation: which policy acts, and when its steps are taken. */
import { type Hours, positionIn } from '../../lib/weekly-hours.ts'

export type Trigger =
  | 'AGENT_GAVE_UP'
  | 'EXECUTION_FAILED'
  | 'TIL_REQUEST_EXPIRED'
  | 'END_USER_ASKED_FOR_HUMAN'
  | 'NEGATIVE_FEEDBACK'
  | 'TICKET_STALLED'

/** A step of a policy, as it is stored. A type alias, since TypeScript takes no interface for JSON. */
export type Step = {
  wait_minutes: number
  target_type: 'TECHNICIANS' | 'SCHEDULE' | 'CHANNEL' | 'WEBHOOK_ENDPOINT'
  target_ids: readonly string[]
  notify_via: readonly ('INBOX' | 'EMAIL')[]
}

/** The technicians whom one step tells at most. */
export const MOST_TOLD = 200

/** A change of the ticket, as it is stored. null: the field stays as it is. */
export type TicketChange = {
  status: string | null
  queue: string | null
  remove_assignee: boolean
}

interface Policy {
  id: number
  enabled: boolean
  is_default: boolean
  agent_ids: readonly number[]
  triggers: readonly Trigger[]
}

interface Cause {
  trigger: Trigger
  /** null: the cause belongs to no agent. */
  agent_id: number | null
}

/** The place of a policy among those that could act; null: it does not act. */
function rankOf({ enabled, triggers, agent_ids, is_default }: Policy, cause: Cause): number | null {
  if (!enabled || !triggers.includes(cause.trigger)) return null
  if (cause.agent_id !== null && agent_ids.includes(cause.agent_id)) return 0
  if (agent_ids.length === 0) return 1
  return is_default ? 2 : null
}

/** The policy that acts: the agent's own, else one for all agents, else the default; of several the one with the lowest id. */
export function policyFor<Candidate extends Policy>(
  policies: readonly Candidate[],
  cause: Cause,
): Candidate | null {
  const ranked = policies.flatMap((policy) => {
    const rank = rankOf(policy, cause)
    return rank === null ? [] : [{ policy, rank }]
  })
  ranked.sort((one, other) => one.rank - other.rank || one.policy.id - other.policy.id)
  return ranked[0]?.policy ?? null
}

/** The business hours of a tenant: whole hours of the day in the zone; null is UTC. */
export interface BusinessHours {
  start_business_hours: number
  end_business_hours: number
  timezone: string | null
}

const MINUTE_MS = 60_000
const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * HOUR_MINUTES

/** The hours of a week, every day alike. */
const weekOf = ({ start_business_hours, end_business_hours }: BusinessHours): Hours[] =>
  Array.from({ length: 7 }, (_, day) => ({
    start: day * DAY_MINUTES + start_business_hours * HOUR_MINUTES,
    end: day * DAY_MINUTES + end_business_hours * HOUR_MINUTES,
  }))

/**
 * The instant of a step that waits from `since`: the opening, or the step before it. With business hours, an instant
 * outside of them moves to their next beginning.
 */
export function stepAt(
  { wait_minutes }: Pick<Step, 'wait_minutes'>,
  since: Date,
  hours: BusinessHours | null,
): Date {
  const at = new Date(since.getTime() + wait_minutes * MINUTE_MS)
  if (hours === null) return at
  const { within, changes_at } = positionIn(weekOf(hours), hours.timezone ?? 'UTC', at)
  return within ? at : (changes_at ?? at)
}

/** The subject of work on the ticket. */
export const subjectOfTicket = (ticket_id: string): string => `TICKET/${ticket_id}`

/** The ticket that is the subject; null: the subject is none. */
export const ticketOf = (subject: string): string | null =>
  subject.startsWith('TICKET/') ? subject.slice('TICKET/'.length) : null

interface Work {
  entity_type: string
  entity_id: string | null
  execution_id: string
}

/** The subject of the work, which has one escalation at a time for a trigger: the ticket, else the execution. */
export const subjectOf = ({ entity_type, entity_id, execution_id }: Work): string =>
  entity_type === 'TICKET' && entity_id !== null ? subjectOfTicket(entity_id) : `EXECUTION/${execution_id}`
