/** Runs an agent now: the checks, the execution that is started or reached, and the operation. */

import { RUN_NOW } from '../../../access/limits/catalogue.ts'
import { scope } from '../../../access/policies/policies.ts'
import { checkModel } from '../../../connectors/model.ts'
import { psaOf } from '../../../connectors/psa.ts'
import { ApiError, bodyProblem, invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { builder } from '../../../schema/builder.ts'
import { unchanged } from '../../../schema/changes/mutation.ts'
import { wantedFields } from '../../../schema/selection.ts'
import {
  type AgentRow,
  agentId,
  agents,
  readRunnable,
  runRefusal,
  startOf,
  supervisionOf,
} from '../../agents/index.ts'
import { checkSubscription, readTerms } from '../../billing/index.ts'
import { technicianIds, unknownTechnicians } from '../../technicians/index.ts'
import { Execution, ExecutionStatus } from '../execution.ts'
import { executionIfSeen } from '../queries.ts'
import {
  enqueueExecution,
  type LiveExecution,
  liveExecution,
  type Start,
  startExecution,
  superviseExecution,
} from './start.ts'

interface RunRequest {
  entity_id: string | null
  supervised_run: boolean
  supervisor_technician_ids: readonly number[] | null
  additional_custom_instructions: string | null
  dry_run: boolean
}

/** The execution that was started or found; `execution_id` is null if a dry run started none. */
interface ReachedExecution extends Omit<LiveExecution, 'execution_id'> {
  execution_id: string | null
  already_live: boolean
}

/** The id of the ticket or time entry; null for an agent that works on none. 422 if it is missing. */
function entityOf(ctx: Context, { entity_type }: AgentRow, { entity_id }: RunRequest): string | null {
  if (entity_type === 'NONE') {
    // Contract silent: a ticket that is named for an agent that works on none is ignored, as other fields are.
    if (entity_id !== null) ctx.warnings.push('ignored_field: entity_id')
    return null
  }
  if (entity_id !== null) return entity_id
  const message = `is required: the agent works on a ${entity_type === 'TICKET' ? 'ticket' : 'time entry'}`
  throw invalid([bodyProblem('entity_id', 'required', message)], 'entity_required')
}

/** 422 for technicians whom the tenant does not have. */
async function checkTechnicians(ctx: Context, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const problems = unknownTechnicians('supervisor_technician_ids', ids, await technicianIds(ctx, ids))
  if (problems.length > 0) throw invalid(problems)
}

/** The number that people know the ticket by, and its company; 422 if the PSA does not have the ticket or time entry. */
async function readFromPsa(
  ctx: Context,
  { entity_type }: AgentRow,
  entity_id: string | null,
): Promise<Pick<Start, 'entity_number' | 'psa_company_id'>> {
  if (entity_id === null) return { entity_number: null, psa_company_id: null }
  const psa = psaOf(ctx)
  const entity = entity_type === 'TICKET' ? await psa.ticket(entity_id) : await psa.timeEntry(entity_id)
  if (!entity) throw invalid([bodyProblem('entity_id', 'unknown', 'is not in the PSA')])
  const { psa_company_id } = entity
  return { entity_number: 'number' in entity ? entity.number : null, psa_company_id }
}

/** Answers with the live execution, which is supervised from its next write on if the call asks for that. */
async function reach(
  ctx: Context,
  agent: AgentRow,
  live: LiveExecution,
  request: RunRequest,
  entity_id: string | null,
): Promise<LiveExecution> {
  const { supervised_run, supervisor_technician_ids, additional_custom_instructions, dry_run } = request
  // Contract silent: a live execution keeps the instructions and the technicians that it has.
  if (additional_custom_instructions) ctx.warnings.push('ignored_field: additional_custom_instructions')
  const switches = supervised_run && !live.supervised
  if (supervisor_technician_ids && (!switches || agent.supervised))
    ctx.warnings.push('ignored_field: supervisor_technician_ids')
  if (!switches) return unchanged(ctx, live)
  if (dry_run) return unchanged(ctx, { ...live, supervised: true })
  const { id: agent_id, name: agent_name, entity_type } = agent
  const { supervisor_technician_ids: supervisors } = supervisionOf(agent, request)
  const work = { agent_id, agent_name, entity_type, entity_id, supervisor_technician_ids: [...supervisors] }
  const supervised = await superviseExecution(ctx, live, work)
  ctx.warnings.push(`supervision_switched_on: ${live.execution_id}`)
  return supervised
}

/**
 * The checks come in this order for every call: the agent, the model that it needs, its ticket or time entry, the
 * approvers; then, unless a live execution is reached, which starts nothing, the subscription and the PSA.
 */
async function runNow(ctx: Context, agent_id: number, request: RunRequest): Promise<ReachedExecution> {
  // Read together, in one round trip, and judged in their order.
  const [agent, onEntity, terms] = await Promise.all([
    readRunnable(ctx, agent_id),
    liveExecution(ctx, { agent_id, entity_id: request.entity_id }),
    readTerms(ctx),
  ])
  const refused = runRefusal(agent)
  if (refused) throw new ApiError(refused, { details: { id: String(agent_id), current_state: agent.state } })
  // Contract silent: it is refused even if an execution is live: without a model nothing of the agent goes on.
  checkModel(ctx, agent)
  const entity_id = entityOf(ctx, agent, request)
  await checkTechnicians(ctx, request.supervisor_technician_ids ?? [])
  const live = entity_id === null ? null : onEntity
  if (live) return { ...(await reach(ctx, agent, live, request, entity_id)), already_live: true }
  await checkSubscription(ctx, terms)
  // The job is stored while the PSA is asked, and goes with the transaction if that has no such thing.
  const [of_psa, execution_id] = await Promise.all([
    readFromPsa(ctx, agent, entity_id),
    request.dry_run ? null : enqueueExecution(ctx),
  ])
  const { additional_custom_instructions } = request
  const given = { entity_id, ...of_psa, additional_custom_instructions, asked: request }
  const start = startOf(agent, { ...given, trigger: 'RUN_NOW' })
  const { supervised } = start
  if (request.supervisor_technician_ids && (agent.supervised || !supervised))
    ctx.warnings.push('ignored_field: supervisor_technician_ids')
  if (execution_id === null)
    return unchanged(ctx, {
      execution_id,
      temporal_run_id: null,
      status: 'NEW',
      supervised,
      already_live: false,
    })
  const started = await startExecution(ctx, execution_id, start, { last: true })
  return { ...started, already_live: false }
}

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
        execution_id === null ? null : executionIfSeen(ctx, { id: execution_id, fields: wantedFields(info) }),
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
      'Runs an agent now. It is for callers who see the agent and may run agents. If an execution of the agent is live ' +
      'on the ticket or time entry, none is started: the answer is that one, with `already_live`. `supervised_run` ' +
      'then switches its supervision on from its next write, with a warning. `dry_run` makes every check and starts ' +
      'nothing. A caller may do this 60 times a minute.',
    rest: { method: 'POST', path: '/agents/{agent_id}/run-now' },
    access: scope('agents:run'),
    rate: RUN_NOW,
    errors: [
      'agent_not_found',
      'agent_not_active',
      'agent_is_conversational',
      'model_not_configured',
      'entity_required',
      'subscription_inactive',
      'credits_exhausted',
      'upstream_unavailable',
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
