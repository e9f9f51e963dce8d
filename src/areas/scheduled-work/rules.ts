/** The rules of scheduled work. */
import { bodyProblem, type FieldError } from '../../errors/errors.ts'

const MINUTE_MS = 60_000
const EARLIEST_MS = MINUTE_MS
const LATEST_MS = 365 * 24 * 60 * MINUTE_MS

/** The problem with a time to schedule for: it is at least a minute and at most 365 days from now. */
export function timeProblems(scheduled_for: Date, now: Date): FieldError[] {
  const ahead = scheduled_for.getTime() - now.getTime()
  if (ahead >= EARLIEST_MS && ahead <= LATEST_MS) return []
  const message = 'must be at least 60 seconds and at most 365 days from now'
  return [bodyProblem('scheduled_for', 'range', message)]
}

/** The starts of an entry that are tried, and the pauses after those that fail. */
export const ATTEMPTS = 3
const PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS]

// Contract silent: a start that fails is tried again after one minute, and then after five.
/** The instant at which an entry whose start failed is tried again; null: it has failed. */
export const retryAt = (attempt: number, now: Date): Date | null => {
  const pause = attempt < ATTEMPTS ? PAUSES_MS[attempt - 1] : undefined
  return pause === undefined ? null : new Date(now.getTime() + pause)
}

interface Queueable {
  state: string
  trigger_type: string
}

// Contract silent: entries name a ticket, so agents that work on time entries cannot be queued.
/** The problem with queuing an agent that works on something else than tickets. */
export const entityProblems = ({ entity_type }: { entity_type: string }): FieldError[] =>
  entity_type === 'TICKET'
    ? []
    : [bodyProblem('workflow_id', 'entity', 'is an agent that does not work on tickets')]

/** The reason why the agent cannot be queued for a ticket; null: it can. */
export function agentProblem({
  state,
  trigger_type,
}: Queueable): 'agent_not_triggered' | 'agent_not_active' | null {
  if (trigger_type !== 'TRIGGERED') return 'agent_not_triggered'
  return state === 'ACTIVE' ? null : 'agent_not_active'
}

/** The reason, in words, why the agent of a due entry does not start; null: it starts. */
export function startRefusal(agent: (Queueable & { entity_type: string }) | null): string | null {
  if (!agent) return 'The agent is gone.'
  const code = agentProblem(agent)
  if (code === 'agent_not_active') return `The agent is ${agent.state}: only an ACTIVE one starts.`
  if (code === 'agent_not_triggered') return 'The agent is not TRIGGERED any more.'
  return agent.entity_type === 'TICKET' ? null : 'The agent does not work on tickets any more.'
}
