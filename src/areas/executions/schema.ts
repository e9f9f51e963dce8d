import { scope } from '../../access/policies.ts'
import { ApiError } from '../../errors.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { Id } from '../../schema/scalars.ts'
import { wantedFields } from '../../schema/selection.ts'
import { Agent } from '../agents/index.ts'
import { Execution, ExecutionPage } from './execution.ts'
import { EXECUTIONS, EXECUTIONS_OF_AGENT, readExecution } from './queries.ts'
import { isWindow } from './rules.ts'

const area = defineArea({
  name: 'Executions',
  slug: 'executions',
  description: 'What the agents did and are doing. Executions are seen by whoever sees their agent.',
  example: `
query WaitingExecutions {
  executions(status: [WAITING_FOR_APPROVAL, WAITING_FOR_INPUT], page_size: 20) {
    items { execution_id agent_name status entity_number message_for_dashboard created_at }
    pagination { next_cursor has_more }
  }
}

# query ResolvedByAgent {
#   executions(agent_id: 1, resolution: FULL, from: "2026-01-01") {
#     items { execution_id entity_number seconds_spent hours_saved credits_consumed }
#   }
# }`,
})

area.query('executions', (t) =>
  t.field({
    type: ExecutionPage,
    description:
      'Lists the executions of the agents that the caller sees, the newest first, then by `execution_id` downwards.',
    rest: { method: 'GET', path: '/executions' },
    access: scope('executions:read'),
    errors: ['invalid_window'],
    args: EXECUTIONS.args,
    resolve: (root, args, ctx, info) => {
      const { from, to } = args
      if (!isWindow({ from, to })) throw new ApiError('invalid_window', { details: { from, to } })
      return EXECUTIONS.resolve(root, args, ctx, info)
    },
  }),
)

area.query('execution', (t) =>
  t.field({
    type: Execution,
    description:
      'Gets an execution. One of an agent that the caller does not see is answered as one that does not exist.',
    rest: { method: 'GET', path: '/executions/{execution_id}' },
    access: scope('executions:read'),
    errors: ['execution_not_found'],
    args: {
      execution_id: t.arg({ type: Id, required: true, description: 'The id of the execution.' }),
    },
    resolve: (_root, { execution_id }, ctx, info) => readExecution(ctx, execution_id, wantedFields(info)),
  }),
)

// Contract silent: a relation into another area needs that area's scope too.
builder.objectField(Agent, 'executions', (t) =>
  t.field({
    type: ExecutionPage,
    graph_only: true,
    access: scope('executions:read'),
    description: 'The agent’s executions, in the order of the list of all. A CONVERSATIONAL agent has none.',
    args: EXECUTIONS_OF_AGENT.args,
    resolve: ({ id }, args, ctx, info) =>
      EXECUTIONS_OF_AGENT.page(ctx, id, args, wantedFields(info, 'items')),
  }),
)
