import { anyCaller } from '../../access/policies/policies.ts'
import { AgentSchema, PUBLISHED_RULES } from '../agents/index.ts'
import { area } from './area.ts'

area.query('agent_schema', (t) =>
  t.field({
    type: AgentSchema,
    description:
      'Gets the matrix of agents and the rules by which the server validates bodies that create and change them. The code ' +
      'of a rule is the one in `details.field_errors` of a refusal, so that bodies can be validated before they are sent.',
    rest: { method: 'GET', path: '/schemas/agents' },
    access: anyCaller,
    cacheable: true,
    resolve: () => PUBLISHED_RULES,
  }),
)
