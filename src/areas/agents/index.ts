/** The exports of the area for other areas. */
export { Agent, type AgentRow, AutonomyType, agentId } from './agent.ts'
export { AGENT_ARCHIVED } from './archived.ts'
export { area as agents } from './area.ts'
export { type Entity, entitiesOf } from './conditions/entities.ts'
export {
  type ConditionalAgent,
  evaluateConditions,
  evaluateTicket,
  evaluateTimeEntry,
  hasConditions,
} from './conditions/evaluate.ts'
export { TicketConditionsInput } from './conditions/input.ts'
export { AgentSchema } from './configuration/agent-schema.ts'
export { PUBLISHED_RULES } from './configuration/published-rules.ts'
export { ticketConditions } from './configuration/rules/ticket-conditions.ts'
export { agentOf, LAST_RUN_AT, seenAgents } from './queries.ts'
export { AGENT_IF_SEEN } from './relation.ts'
export { readForService, readRunnable } from './resource.ts'
export { runRefusal, supervisionOf } from './rules.ts'
export { RUN_OCCURRENCE } from './schedule/occurrence.ts'
export { seenThroughAgent } from './seen-by.ts'
export { startOf } from './start.ts'
export { agentsSelecting, lockTriggered } from './triggered.ts'
export { agentName, agentsWith, escalates, joinAgent, namedAgents, settersOf } from './views.ts'
