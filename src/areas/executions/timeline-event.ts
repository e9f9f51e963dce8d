/** An event of an execution as it is read and answered. */
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { pageType } from '../../schema/page.ts'

export type TimelineEventRow = Row<'TimelineEvent'>

const TimelineEventKind = enumFrom('TimelineEventKind')

const TimelineEvent = builder.prismaObject('TimelineEvent', {
  fields: (t) => ({
    id: t.exposeString('id'),
    at: t.expose('at', { type: 'DateTime' }),
    kind: t.expose('kind', { type: TimelineEventKind }),
    text: t.exposeString('text', { nullable: true }),
    tool_call_id: t.exposeString('tool_call_id', { nullable: true }),
    til_request_id: t.exposeString('til_request_id', { nullable: true }),
    temporal_run_id: t.exposeString('temporal_run_id'),
  }),
})

export const TimelineEventPage = pageType<TimelineEventRow>('TimelineEvent', TimelineEvent)
