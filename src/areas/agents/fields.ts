/** What callers say of agents. */
import { boundedInt } from '../../schema/scalars.ts'

export const AgentId = boundedInt('AgentId', 1, 2_147_483_647, 'The `id` of an agent.')
