/** What other areas may know of agents. */
export { Agent, AutonomyType } from './agent.ts'
export { agentOf } from './queries.ts'
