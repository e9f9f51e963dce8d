/** Another attempt at an execution that did not end well. */
import { scope } from '../../../access/policies/policies.ts'
import { checkModel } from '../../../connectors/model.ts'
import { ApiError, found } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { readRunnable, runRefusal, startOf } from '../../agents/index.ts'
import { checkSubscription, readTerms } from '../../billing/index.ts'
import { area } from '../area.ts'
import { lockExecution } from '../engine/lifecycle/transition.ts'
import { isRetryable } from '../engine/rules/transitions.ts'
import { Execution, executionId } from '../execution.ts'
import { readExecution, requireExecution } from '../queries.ts'
import { enqueueExecution, liveExecution, startExecution } from './start.ts'

const refused = (id: string, details: { current_status: string; live_execution_id?: string }): ApiError =>
  new ApiError('execution_not_retryable', { details: { id, ...details } })

// Contract silent: an execution can be retried more than once, and each retry names the one that it is made of.
/** The checks are those of a run by hand. Returns the id of the new execution. */
async function retry(ctx: Context, execution_id: string): Promise<string> {
  await requireExecution(ctx, execution_id)
  const first = found(await lockExecution(ctx, execution_id), 'execution_not_found', execution_id)
  const { status, agent_id, entity_id, entity_type, entity_number } = first
  if (!isRetryable(status)) throw refused(execution_id, { current_status: status })
  const agent = await readRunnable(ctx, agent_id)
  const code = runRefusal(agent)
  if (code) throw new ApiError(code, { details: { id: String(agent_id), current_state: agent.state } })
  checkModel(ctx, agent)
  // Contract silent: while another execution of the agent is live on the ticket or time entry, nothing is retried.
  const live = await liveExecution(ctx, { agent_id, entity_id })
  if (live) throw refused(execution_id, { current_status: status, live_execution_id: live.execution_id })
  await checkSubscription(ctx, await readTerms(ctx))
  const { psa_company_id, additional_custom_instructions } = first
  const { supervised: supervised_run, supervisor_technician_ids } = first
  const start = startOf(agent, {
    entity_id,
    entity_number,
    psa_company_id,
    additional_custom_instructions,
    trigger: 'RETRY',
    retry_of_execution_id: execution_id,
    asked: { supervised_run, supervisor_technician_ids },
  })
  const id = await enqueueExecution(ctx)
  await startExecution(ctx, id, { ...start, entity_type, asked_by_user_ids: first.asked_by_user_ids })
  return id
}

area.mutation('retry_execution', (t) =>
  t.field({
    type: Execution,
    description:
      'Makes another attempt at an execution that is FAILED, TIMED_OUT or CANCELLED. It is a new execution of the agent, ' +
      'with the same instructions, on the same ticket or time entry, supervised if the first one was. The checks ' +
      'are those of a run by hand.',
    rest: { method: 'POST', path: '/executions/{execution_id}/retry' },
    access: scope('agents:run'),
    errors: [
      'execution_not_found',
      'execution_not_retryable',
      'agent_not_active',
      'agent_is_conversational',
      'model_not_configured',
      'subscription_inactive',
      'credits_exhausted' as const,
    ],
    args: { execution_id: t.arg(executionId) },
    resolve: async (_root, { execution_id }, ctx, info) => {
      const id = await retry(ctx, execution_id)
      return await readExecution(ctx, id, wantedFields(info))
    },
  }),
)
