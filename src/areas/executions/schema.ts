import type { ObjectRef } from '@pothos/core'
import { scope } from '../../access/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { visibleAgents } from '../../access/visibility.ts'
import { shaped } from '../../db/shaped.ts'
import { ApiError, found } from '../../errors.ts'
import { SEARCH } from '../../schema/bounds.ts'
import { builder, defineArea, type SchemaTypes } from '../../schema/builder.ts'
import { page, pageArgs } from '../../schema/page.ts'
import { Id } from '../../schema/scalars.ts'
import { wantedFields } from '../../schema/selection.ts'
import { Agent, AgentSummary } from '../agents/index.ts'
import {
  Execution,
  ExecutionPage,
  ExecutionResolution,
  type ExecutionRow,
  ExecutionStatus,
  ExecutionTrigger,
  executionColumns,
  sortKey,
} from './execution.ts'
import { listExecutions } from './list.ts'
import { executionsOf } from './of-agent.ts'
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
    args: {
      agent_id: t.arg.int({ min: 1, description: 'Only executions of this agent, by its `id`.' }),
      status: t.arg({
        type: [ExecutionStatus],
        min_items: 1,
        description: 'Only executions that stand at one of these: separated by commas, or repeated.',
      }),
      entity_id: t.arg({ type: Id, description: 'Only executions on this ticket or time entry.' }),
      supervised: t.arg.boolean({ description: 'true: only supervised ones. false: only the others.' }),
      resolution: t.arg({
        type: ExecutionResolution,
        description: 'Only executions whose work came this far.',
      }),
      trigger: t.arg({ type: ExecutionTrigger, description: 'Only executions that this started.' }),
      from: t.arg({ type: 'DateTime', description: 'Only executions created at this instant or later.' }),
      to: t.arg({
        type: 'DateTime',
        description: 'Only executions created before this instant, which must be later than `from`.',
      }),
      updated_since: t.arg({
        type: 'DateTime',
        description: 'Only executions whose `updated_at` is this instant or later. The order stays.',
      }),
      search: t.arg.string({
        ...SEARCH,
        description: 'Only executions with this in `entity_number` or `message_for_dashboard`.',
      }),
      ...pageArgs,
    },
    resolve: (_root, args, ctx, info) => {
      const { from, to } = args
      if (!isWindow({ from, to })) throw new ApiError('invalid_window', { details: { from, to } })
      return listExecutions(ctx, args, wantedFields(info, 'items'))
    },
  }),
)

const columns = executionColumns('a.name')
const READ = shaped<ExecutionRow>(
  'executions.read',
  (and, columns) => `select ${columns} from execution e
   join agent a on a.tenant_id = e.tenant_id and a.environment = e.environment and a.id = e.agent_id
   where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3::text${and}`,
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
    resolve: async (_root, { execution_id }, ctx, info) => {
      const visible = visibleAgents(callerOf(ctx))
      const [row] = await READ(ctx, [execution_id], [visible], columns(wantedFields(info)))
      return found(row, 'execution_not_found', execution_id)
    },
  }),
)

// Contract silent: a relation into another area needs that area's scope too.
for (const type of [Agent, AgentSummary] as ObjectRef<SchemaTypes, { id: number }>[]) {
  builder.objectField(type, 'executions', (t) =>
    t.field({
      type: ExecutionPage,
      graph_only: true,
      access: scope('executions:read'),
      description:
        'The agent’s executions, in the order of the list of all. A CONVERSATIONAL agent has none.',
      args: pageArgs,
      resolve: ({ id: agent_id }, args, ctx, info) =>
        page(
          ctx,
          'Agent.executions',
          { ...args, agent_id },
          (after, limit) =>
            executionsOf(ctx, { agent_id, after, limit, fields: wantedFields(info, 'items') }),
          sortKey,
        ),
    }),
  )
}
