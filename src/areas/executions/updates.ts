/** The updates of executions, and their subscribers. */
import { scoped } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import { type LiveSource, type Update, updateFields } from '../../schema/live/live.ts'
import { wantedFields } from '../../schema/selection.ts'
import { seenThroughAgent } from '../agents/index.ts'
import { Execution, type ExecutionRow, ExecutionStatus } from './execution.ts'
import { readExecution } from './queries.ts'

export const ExecutionUpdate = builder.objectRef<Update>('ExecutionUpdate').implement({
  description: 'An execution that is new or has changed.',
  fields: (t) =>
    updateFields(t, {
      status: t.field({
        type: ExecutionStatus,
        nullable: true,
        description:
          'The status to which the execution had come by this update; by now it may be another. null: the update is ' +
          'from before updates had it.',
        resolve: ({ status }) => status as ExecutionRow['status'] | null,
      }),
      execution: t.field({
        type: Execution,
        description: 'The execution as it is now.',
        resolve: ({ entity_id }, _args, ctx, info) => readExecution(ctx, entity_id, wantedFields(info)),
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
