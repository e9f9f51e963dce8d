/** An event of an execution as it is read and answered. */
import { enumFrom } from '../../schema/builder.ts'
import { pageType } from '../../schema/lists/page.ts'
import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'

export type TimelineEventRow = Row<'TimelineEvent'>

const TimelineEventKind = enumFrom('TimelineEventKind')

const TimelineEvent = rowType('TimelineEvent', {
  fields: (t) => ({
    id: t.exposeID('id'),
    at: t.expose('at', { type: 'DateTime' }),
    kind: t.expose('kind', { type: TimelineEventKind }),
    text: t.exposeString('text', { nullable: true }),
    tool_call_id: t.exposeID('tool_call_id', { nullable: true }),
    til_request_id: t.exposeID('til_request_id', { nullable: true }),
    temporal_run_id: t.exposeID('temporal_run_id'),
  }),
})

export const TimelineEventPage = pageType<TimelineEventRow>('TimelineEvent', TimelineEvent)
