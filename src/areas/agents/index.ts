/** The parts of this area that others use. */
export { Agent, AutonomyType } from './agent.ts'
export { agentOf } from './queries.ts'
