/** What other areas may know of agents. */
export { Agent, AgentSummary, AutonomyType } from './agent.ts'
export { AgentId } from './fields.ts'
export { agentOf } from './read.ts'
