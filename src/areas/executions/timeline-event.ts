import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'

export type TimelineEventRow = Row<'TimelineEvent'>

export const TimelineEvent = rowType('TimelineEvent', {
  fields: (t) => ({
    ...t.columns('id', 'at', 'kind', 'text', 'tool_call_id', 'til_request_id', 'temporal_run_id'),
  }),
})
