/** Decides whether agents are asked about a callback, and for each agent whether it runs. */
import { isObject } from '../../../lib/is-object.ts'

type FilterReason = 'DUPLICATE' | 'CHANGE_TYPE_UNUSED' | 'COMPANY_OUT_OF_SCOPE' | 'OWN_CHANGE'

type MatchReason =
  | 'CHANGE_TYPE_NOT_SELECTED'
  | 'CONDITION_FAILED'
  | 'COMPANY_OUT_OF_SCOPE'
  | 'RUN_ALREADY_LIVE'
  | 'DEBOUNCED'
  | 'OWN_CHANGE'
  | 'CREDITS_EXHAUSTED'
  | 'AGENT_NOT_ACTIVE'
  | 'START_REFUSED'

/** The settings of an agent, with their defaults. */
export interface CallbackSettings {
  change_types: readonly string[]
  ignore_own_changes: boolean
  debounce_seconds: number
}

/** The settings in the stored config object; null is an agent that has none, and selects nothing. */
export function settingsIn(stored: unknown): CallbackSettings {
  const { change_types, ignore_own_changes, debounce_seconds } = isObject(stored) ? stored : {}
  return {
    change_types: Array.isArray(change_types) ? change_types.filter((code) => typeof code === 'string') : [],
    ignore_own_changes: ignore_own_changes !== false,
    debounce_seconds: typeof debounce_seconds === 'number' ? debounce_seconds : 0,
  }
}

export interface MatchedEvent {
  change_types: readonly string[]
  /** Those of them that agents made. */
  own_changes: readonly string[]
  is_in_scope: boolean
}

/** The changes that the agent runs for. */
export const selectedOf = (
  { change_types }: CallbackSettings,
  event: Pick<MatchedEvent, 'change_types'>,
): string[] => event.change_types.filter((code) => change_types.includes(code))

/** True if the agent selects nothing but changes that agents made, and ignores those. */
const isOwnFor = (settings: CallbackSettings, event: MatchedEvent): boolean =>
  settings.ignore_own_changes && selectedOf(settings, event).every((code) => event.own_changes.includes(code))

/** The reason for which no agent is asked; null if some are. `agents` are the settings of those that select a change. */
export function filterReason(event: MatchedEvent, agents: readonly CallbackSettings[]): FilterReason | null {
  if (event.change_types.length === 0) return 'DUPLICATE'
  if (agents.length === 0) return 'CHANGE_TYPE_UNUSED'
  if (!event.is_in_scope) return 'COMPANY_OUT_OF_SCOPE'
  return agents.every((settings) => isOwnFor(settings, event)) ? 'OWN_CHANGE' : null
}

/** A condition of the agent that was compared with the entity. */
export interface Comparison {
  field: string
  operator: string
  expected?: unknown
  actual?: unknown
  holds: boolean
}

/** The facts of one agent about one callback. */
export interface AgentFacts {
  state: string
  settings: CallbackSettings
  /** null: the entity is gone. */
  matching: { met: boolean; comparisons: readonly Comparison[] } | null
  is_live: boolean
  /** When it last began to work on the entity. null: it never did. */
  last_run_at: Date | null
  /** False if the tenant has no credits left, and may use no more. */
  has_credits: boolean
}

interface Decision {
  result: 'MATCHED' | 'NOT_MATCHED' | 'SKIPPED'
  /** null: the agent runs. */
  reason_code: MatchReason | null
}

const notMatched = (reason_code: MatchReason): Decision => ({ result: 'NOT_MATCHED', reason_code })

const skipped = (reason_code: MatchReason): Decision => ({ result: 'SKIPPED', reason_code })

const MATCHED: Decision = { result: 'MATCHED', reason_code: null }

/** The agent does not run because its start is refused. */
export const START_REFUSED = skipped('START_REFUSED')

/** The conditions that kept the agent from running; none if something else did. */
export const failedAmong = <Compared extends Comparison>(
  reason_code: string | null,
  comparisons: readonly Compared[],
): Compared[] => (reason_code === 'CONDITION_FAILED' ? comparisons.filter(({ holds }) => !holds) : [])

// Contract silent: the first reason in this order is told: what the agent is for, then what keeps it from running.
function decide(event: MatchedEvent, agent: AgentFacts, now: Date): Decision {
  const { settings, matching, last_run_at } = agent
  if (selectedOf(settings, event).length === 0) return notMatched('CHANGE_TYPE_NOT_SELECTED')
  if (!event.is_in_scope) return notMatched('COMPANY_OUT_OF_SCOPE')
  if (!matching?.met) return notMatched('CONDITION_FAILED')
  if (agent.state !== 'ACTIVE') return skipped('AGENT_NOT_ACTIVE')
  if (isOwnFor(settings, event)) return skipped('OWN_CHANGE')
  if (agent.is_live) return skipped('RUN_ALREADY_LIVE')
  const debounced_until = (last_run_at?.getTime() ?? 0) + settings.debounce_seconds * 1000
  if (last_run_at && now.getTime() < debounced_until) return skipped('DEBOUNCED')
  return agent.has_credits ? MATCHED : skipped('CREDITS_EXHAUSTED')
}

/** The conditions of one match that are kept. */
const MAX_COMPARISONS = 100

export interface MatchDecision extends Decision {
  comparisons: readonly Comparison[]
}

/** The result of matching one agent, with all of its conditions that were compared. */
export const matchOf = (event: MatchedEvent, agent: AgentFacts, now: Date): MatchDecision => ({
  ...decide(event, agent, now),
  comparisons: agent.matching?.comparisons.slice(0, MAX_COMPARISONS) ?? [],
})
