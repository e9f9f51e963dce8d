/** The execution of a row, as a field of other areas. */
import { scope } from '../../access/policies/policies.ts'
import { madeOf } from '../../schema/row-type.ts'
import { wantedFields } from '../../schema/selection.ts'
import { Execution } from './execution.ts'
import { executionIfSeen } from './queries.ts'

/** Options of the field `execution` of a row with `execution_id`: null without an execution, and for callers who do not see its agent. */
export const EXECUTION_IF_SEEN = {
  type: Execution,
  nullable: true,
  graph_only: true,
  access: scope('executions:read'),
  ...madeOf<{ execution_id: string | null }>()(['execution_id'], ({ execution_id: id }, _args, ctx, info) =>
    id === null ? null : executionIfSeen(ctx, { id, fields: wantedFields(info) }),
  ),
} as const
