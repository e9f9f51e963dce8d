/** A run of an execution as it is read and answered. */
import { enumFrom } from '../../schema/builder.ts'
import { pageType } from '../../schema/lists/page.ts'
import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'

export type ExecutionRunRow = Row<'ExecutionRun'>

const ExecutionRunStatus = enumFrom('ExecutionRunStatus')

const ExecutionRun = rowType('ExecutionRun', {
  fields: (t) => ({
    id: t.id(rowId<ExecutionRunRow>('temporal_run_id')),
    temporal_run_id: t.exposeID('temporal_run_id'),
    sequence: t.exposeInt('sequence'),
    status: t.expose('status', { type: ExecutionRunStatus }),
    started_at: t.expose('started_at', { type: 'DateTime' }),
    ended_at: t.expose('ended_at', { type: 'DateTime', nullable: true }),
    resumed_by_til_request_id: t.exposeID('resumed_by_til_request_id', { nullable: true }),
    supervised: t.exposeBoolean('supervised'),
  }),
})

export const ExecutionRunPage = pageType<ExecutionRunRow>('ExecutionRun', ExecutionRun)
