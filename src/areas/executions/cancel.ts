/** Cancels executions. */
import { scope } from '../../access/policies/policies.ts'
import { ApiError, found } from '../../errors/errors.ts'
import { record } from '../../gateway/activity.ts'
import { builder } from '../../schema/builder.ts'
import { unchanged } from '../../schema/changes/mutation.ts'
import { wantedFields } from '../../schema/selection.ts'
import { area } from './area.ts'
import { lockExecution, transition } from './engine/lifecycle/transition.ts'
import { nextStatus } from './engine/rules/transitions.ts'
import { APPROVAL_GATE } from './engine/run/approval-gate.ts'
import { type EngineContext, lockSlots } from './engine/run/slots.ts'
import { Execution, executionId } from './execution.ts'
import { agentNameOf, readExecution } from './queries.ts'
import { targetsOf } from './starting/start.ts'

const ExecutionCancellation = builder.inputType('ExecutionCancellation', {
  description: 'The reason of the cancellation.',
  fields: (t) => ({
    reason: t.string({
      max_length: 1024,
      nullable: true,
      description: 'The reason. null or empty: none is given.',
    }),
  }),
})

interface Cancellation {
  execution_id: string
  agent_name: string
  reason: string | null
}

/** Stops the execution, and whatever waits for it. A run under way makes no call after the one that it is making. */
export async function cancel(
  ctx: EngineContext,
  { execution_id, agent_name, reason }: Cancellation,
): Promise<void> {
  await lockSlots(ctx)
  const execution = found(await lockExecution(ctx, execution_id), 'execution_not_found', execution_id)
  const { status, agent_id } = execution
  if (status === 'CANCELLED') return unchanged(ctx, undefined)
  if (nextStatus(status, 'CANCEL') === null)
    throw new ApiError('execution_not_cancellable', { details: { id: execution_id, current_status: status } })
  await transition(ctx, execution, 'CANCEL', { error: reason })
  await APPROVAL_GATE.get().cancelRequests(ctx, execution_id)
  await record(ctx, {
    action: 'execution.cancelled',
    targets: targetsOf(execution_id, { agent_id, agent_name }),
    before: { status },
    after: { status: 'CANCELLED', reason },
  })
}

area.mutation('cancel_execution', (t) =>
  t.field({
    type: Execution,
    description:
      'Cancels an execution that has not come to its end. Its open requests to technicians are cancelled with it; a ' +
      'tool call under way is finished, and none follows. Cancelling a cancelled one changes nothing. It is for ' +
      'callers who see the agent.',
    rest: { method: 'POST', path: '/executions/{execution_id}/cancel' },
    access: scope('executions:write'),
    errors: ['execution_not_found', 'execution_not_cancellable'],
    args: {
      execution_id: t.arg(executionId),
      input: t.arg({ type: ExecutionCancellation, description: 'May be left out.' }),
    },
    resolve: async (_root, { execution_id, input }, ctx, info) => {
      const agent_name = await agentNameOf(ctx, execution_id)
      await cancel(ctx, { execution_id, agent_name, reason: input?.reason || null })
      return await readExecution(ctx, execution_id, wantedFields(info))
    },
  }),
)
