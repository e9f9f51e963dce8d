import { pageType } from '../../schema/lists/page.ts'
import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'

export type TimelineEventRow = Row<'TimelineEvent'>

const TimelineEvent = rowType('TimelineEvent', {
  fields: (t) => ({
    ...t.columns('id', 'at', 'kind', 'text', 'tool_call_id', 'til_request_id', 'temporal_run_id'),
  }),
})

export const TimelineEventPage = pageType<TimelineEventRow>('TimelineEvent', TimelineEvent)
