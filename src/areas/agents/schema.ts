import { scope } from '../../access/policies.ts'
import { defineArea } from '../../schema/builder.ts'
import { pageType } from '../../schema/page.ts'
import { IntegerId } from '../../schema/scalars.ts'
import { wantedFields } from '../../schema/selection.ts'
import { Agent, type AgentRow, CONFIG_OBJECTS } from './agent.ts'
import { AGENTS, readAgent } from './queries.ts'

const area = defineArea({
  name: 'Agents',
  slug: 'agents',
  description:
    'The agents that work for the MSP. OWNER, ADMIN and API keys with no acting user see all of them; USER ' +
    'and VIEWER see those that they created or that were shared with them.',
  example: `
query Agents {
  agents(state: ACTIVE, sort: name, page_size: 20) {
    items {
      id name autonomy_type trigger_type supervised last_run_at
      executions(page_size: 5) { items { execution_id status entity_number created_at } }
    }
    pagination { next_cursor has_more }
  }
}

# query WholeAgent {
#   agent(agent_id: 1) { name state agent_settings toolbox integrations ticket_conditions }
# }`,
})

area.query('agents', (t) =>
  t.field({
    type: pageType<AgentRow>('Agent', Agent),
    description: 'Lists the agents that the caller sees, without their config objects.',
    rest: { method: 'GET', path: '/agents', omit: CONFIG_OBJECTS },
    access: scope('agents:read'),
    args: AGENTS.args,
    resolve: AGENTS.resolve,
  }),
)

area.query('agent', (t) =>
  t.field({
    type: Agent,
    description:
      'Gets an agent with its config objects, in whatever state. One that the caller does not see is answered as ' +
      'one that does not exist.',
    rest: { method: 'GET', path: '/agents/{agent_id}' },
    access: scope('agents:read'),
    errors: ['agent_not_found'],
    args: {
      agent_id: t.arg({ type: IntegerId, required: true, description: 'The `id` of the agent.' }),
    },
    resolve: (_root, { agent_id }, ctx, info) => readAgent(ctx, agent_id, wantedFields(info)),
  }),
)
