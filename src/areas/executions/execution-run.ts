import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'

export type ExecutionRunRow = Row<'ExecutionRun'>

export const ExecutionRun = rowType('ExecutionRun', {
  fields: (t) => ({
    id: t.id(rowId<ExecutionRunRow>('temporal_run_id')),
    ...t.columns('temporal_run_id', 'sequence', 'status', 'started_at', 'ended_at'),
    ...t.columns('resumed_by_til_request_id', 'supervised'),
  }),
})
