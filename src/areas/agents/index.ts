/** The exports of the area for other areas. */
export { Agent, type AgentRow, AutonomyType } from './agent.ts'
export { AgentSchema } from './agent-schema.ts'
export { whenArchived } from './archived.ts'
export { type ConditionalAgent, judgeEntity } from './judge.ts'
export { agentOf, LAST_RUN_AT } from './queries.ts'
export { readForService, readRunnable } from './resource.ts'
export { RULEBOOK } from './rulebook.ts'
export { runRefusal, supervisionOf } from './rules.ts'
