/** The words of agents. */

/** What each kind of agent is. */
export const AUTONOMY_TYPES = {
  AGENTIC: 'It decides itself, within its instructions and its toolbox.',
  CHAINED_ACTIONS: 'It takes the same actions in the same order, every time.',
  CONVERSATIONAL: 'It chats. It consumes credits and has no executions.',
} as const
export type AutonomyType = keyof typeof AUTONOMY_TYPES

/** Where an agent is in its life. */
export const AGENT_STATES = {
  DRAFT: 'It is being written, and never runs.',
  ACTIVE: 'It runs.',
  PAUSED: 'It does not run until somebody activates it again.',
  ARCHIVED: 'It never runs again.',
} as const
export type AgentState = keyof typeof AGENT_STATES

/** What makes agents run. */
export const TRIGGER_TYPES = {
  TRIGGERED: 'A change in the PSA.',
  SCHEDULED: 'Its schedule.',
  ON_DEMAND: 'A person or a program that asks for it.',
  CHAT: 'A message in a chat.',
} as const
export type TriggerType = keyof typeof TRIGGER_TYPES

/** What agents work on. */
export const ENTITY_TYPES = {
  TICKET: 'Tickets.',
  TIME_ENTRY: 'Time entries.',
  NONE: 'Nothing in particular.',
} as const
export type EntityType = keyof typeof ENTITY_TYPES
