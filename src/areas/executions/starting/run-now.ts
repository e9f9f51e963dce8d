/** The operation that runs an agent now. */
import { RUN_NOW } from '../../../access/limits/catalogue.ts'
import { scope } from '../../../access/policies/policies.ts'
import { builder } from '../../../schema/builder.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { agentId, agents } from '../../agents/index.ts'
import { Execution, ExecutionStatus } from '../execution.ts'
import { executionOf } from '../queries.ts'
import { type ReachedExecution, runNow } from './run-agent.ts'

const RunNowResult = builder.objectRef<ReachedExecution>('RunNowResult').implement({
  description: 'The execution that a call to run an agent started or reached.',
  fields: (t) => ({
    execution_id: t.exposeID('execution_id', {
      nullable: true,
      description: 'The execution. null: a dry run started none.',
    }),
    temporal_run_id: t.exposeID('temporal_run_id', {
      nullable: true,
      description: 'The latest run of the execution. null: it has not been picked up.',
    }),
    status: t.expose('status', {
      type: ExecutionStatus,
      description: 'The status of the execution; NEW for one that a dry run did not start.',
    }),
    already_live: t.exposeBoolean('already_live', {
      description: 'True if an execution of the agent was live on the ticket or time entry already.',
    }),
    supervised: t.exposeBoolean('supervised', {
      description: 'True if every write of the execution waits for approval.',
    }),
    execution: t.field({
      type: Execution,
      nullable: true,
      graph_only: true,
      access: scope('executions:read'),
      description: 'The execution itself. null: a dry run started none.',
      resolve: ({ execution_id }, _args, ctx, info) =>
        execution_id === null ? null : executionOf(ctx, { id: execution_id, fields: wantedFields(info) }),
    }),
  }),
})

const RunNowRequest = builder.inputType('RunNowRequest', {
  description: 'The work of the run.',
  fields: (t) => ({
    entity_id: t.id({
      min_length: 1,
      max_length: 200,
      description:
        'The id of the ticket or time entry in the PSA. Required for agents that work on one, ignored for others.',
    }),
    supervised_run: t.boolean({
      defaultValue: false,
      description:
        'true: every write of this run waits for approval. Runs of a supervised agent are supervised anyway.',
    }),
    supervisor_technician_ids: t.intList({
      min: 1,
      min_items: 1,
      description:
        'The technicians who approve, if this call supervises the run; else those of the agent; if it ' +
        'names none, those who approve by default. Ignored if the agent itself is supervised.',
    }),
    additional_custom_instructions: t.string({
      min_length: 1,
      max_length: 4000,
      description: 'Instructions for this run, beyond the agent’s own.',
    }),
    dry_run: t.boolean({
      defaultValue: false,
      description: 'true: every check is made, and nothing is started or changed.',
    }),
  }),
})

agents.mutation('run_agent_now', (t) =>
  t.field({
    type: RunNowResult,
    description:
      'Runs an agent now. It is for whoever sees the agent and may run agents. If an execution of the agent is live ' +
      'on the ticket or time entry, none is started: the answer is that one, with `already_live`. `supervised_run` ' +
      'then switches its supervision on from its next write, with a warning. `dry_run` makes every check and starts ' +
      'nothing. A caller may do this 60 times a minute.',
    rest: { method: 'POST', path: '/agents/{agent_id}/run-now' },
    access: scope('agents:run'),
    rate: RUN_NOW,
    errors: [
      ...(['agent_not_found', 'agent_not_active', 'agent_is_conversational'] as const),
      ...(['model_not_configured', 'entity_required'] as const),
      ...(['subscription_inactive', 'credits_exhausted', 'upstream_unavailable'] as const),
    ],
    args: {
      agent_id: t.arg(agentId),
      input: t.arg({
        type: RunNowRequest,
        description: 'May be left out for an agent that works on nothing.',
      }),
    },
    resolve: (_root, { agent_id, input }, ctx) =>
      runNow(ctx, agent_id, {
        entity_id: input?.entity_id ?? null,
        supervised_run: input?.supervised_run ?? false,
        supervisor_technician_ids: input?.supervisor_technician_ids ?? null,
        additional_custom_instructions: input?.additional_custom_instructions ?? null,
        dry_run: input?.dry_run ?? false,
      }),
  }),
)
