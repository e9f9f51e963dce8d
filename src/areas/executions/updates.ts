/** The updates of executions, and their subscribers. */
import { scoped } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import { atUpdate, type LiveSource, type Update, updateFields } from '../../schema/live/live.ts'
import { wantedFields } from '../../schema/selection.ts'
import { seenThroughAgent } from '../agents/index.ts'
import { isUnderWay } from './engine/rules/transitions.ts'
import { Execution, type ExecutionRow, ExecutionStatus } from './execution.ts'
import { readExecution } from './queries.ts'

/** The execution as the update tells it. One that is under way waits for nobody. */
function executionAt(update: Update, now: ExecutionRow): ExecutionRow {
  const execution = atUpdate(update, now)
  return isUnderWay(execution.status) ? { ...execution, pending_til_request_count: 0 } : execution
}

export const ExecutionUpdate = builder.objectRef<Update>('ExecutionUpdate').implement({
  description: 'An execution that is new or has changed.',
  fields: (t) =>
    updateFields(t, {
      status: t.field({
        type: ExecutionStatus,
        nullable: true,
        description:
          'The status to which the execution had come by this update: each change of it is told once. By now it may be ' +
          'another. null: the update is from before updates had it.',
        resolve: ({ status }) => status as ExecutionRow['status'] | null,
      }),
      execution: t.field({
        type: Execution,
        description:
          'The execution as it is now, but with the `status` of the update, and none of the pending requests that it ' +
          'has raised since.',
        resolve: async (update, _args, ctx, info) =>
          executionAt(update, await readExecution(ctx, update.entity_id, wantedFields(info))),
      }),
    }),
})

const SEEN_BY = scoped('executions.seen_by', seenThroughAgent('execution', 'execution_id'))

/** The events of executions. */
export const EXECUTION_EVENTS: LiveSource = {
  kind: 'EXECUTION',
  matches: (event, { execution_id, agent_id }) =>
    (execution_id == null || event.entity_id === execution_id) &&
    (agent_id == null || event.agent_id === agent_id),
  seen_by: SEEN_BY,
  hidden: ({ execution_id: id }) =>
    id == null ? null : new ApiError('execution_not_found', { details: { id: String(id) } }),
}
