/** The exports of the area for other areas. */
export { Agent, AutonomyType } from './agent.ts'
export { agentOf } from './queries.ts'
