import { scope } from '../../access/policies.ts'
import { SEARCH } from '../../schema/bounds.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { pageArgs, pageType } from '../../schema/page.ts'
import { IntegerId } from '../../schema/scalars.ts'
import { wantedFields } from '../../schema/selection.ts'
import { Agent, AgentState, AgentSummary, AutonomyType, EntityType, TriggerType } from './agent.ts'
import type { AgentSummaryRow } from './columns.ts'
import { listAgents, type Sort } from './list.ts'
import { readAgent } from './read.ts'

const area = defineArea({
  name: 'Agents',
  slug: 'agents',
  description:
    'The agents that work for the MSP. OWNER, ADMIN and keys in nobody’s name see all of them; USER and VIEWER ' +
    'see those that they created or that were shared with them.',
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

// Contract silent: the newest agents come first, unless they are asked for by name.
const AgentSort = builder.enumType('AgentSort', {
  description: 'The order of a list of agents.',
  values: {
    created_at: { description: 'The newest first, then by `id` downwards.' },
    name: { description: 'By name in any letter case, then by `id`.' },
  } satisfies Record<Sort, object>,
})

area.query('agents', (t) =>
  t.field({
    type: pageType<AgentSummaryRow>('Agent', AgentSummary),
    description: 'The agents that the caller sees, without their config objects.',
    rest: { method: 'GET', path: '/agents' },
    access: scope('agents:read'),
    args: {
      state: t.arg({
        type: [AgentState],
        min_items: 1,
        description:
          'Only agents in one of these states: separated by commas, or repeated. Archived ones are listed only ' +
          'where ARCHIVED is among them.',
      }),
      autonomy_type: t.arg({ type: AutonomyType, description: 'Only agents of this kind.' }),
      trigger_type: t.arg({ type: TriggerType, description: 'Only agents that this makes run.' }),
      entity_type: t.arg({ type: EntityType, description: 'Only agents that work on this.' }),
      supervised: t.arg.boolean({ description: 'true: only supervised ones. false: only the others.' }),
      search: t.arg.string({
        ...SEARCH,
        description: 'Only agents whose name contains this, in any letter case.',
      }),
      sort: t.arg({ type: AgentSort, defaultValue: 'created_at', description: 'The order.' }),
      ...pageArgs,
    },
    resolve: (_root, args, ctx, info) => listAgents(ctx, args, wantedFields(info, 'items')),
  }),
)

area.query('agent', (t) =>
  t.field({
    type: Agent,
    description:
      'One agent with its config objects, in whatever state. One that the caller does not see is answered as ' +
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
