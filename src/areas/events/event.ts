/** An event, as the feed, subscribers and the receivers of webhooks get it. */
import { builder } from '../../schema/builder.ts'
import { severityOf } from './body.ts'
import type { EventRow } from './feed.ts'
import { EventSeverity } from './severity.ts'

export const Event = builder.objectRef<EventRow>('Event').implement({
  description: 'Something that happened. Events never change.',
  fields: (t) => ({
    id: t.exposeID('event_id', {
      description: 'Its id: to go on after it, and to know an event that comes again.',
    }),
    type: t.exposeString('type', {
      description: 'Its type, of those that `/schemas/event-types` lists. Types may be added.',
    }),
    severity: t.field({
      type: EventSeverity,
      description: 'How urgent it is.',
      resolve: ({ type }) => severityOf(type),
    }),
    sequence: t.string({
      resolve: ({ sequence }) => String(sequence),
      description:
        'Its place in the feed, a decimal number: higher than that of every event before it, with gaps.',
    }),
    timestamp: t.field({ type: 'DateTime', description: 'When it happened.', resolve: ({ at }) => at }),
    tenant_id: t.exposeID('tenant_id', { description: 'The tenant.' }),
    environment: t.exposeString('environment', { description: 'The environment.' }),
    data: t.expose('data', {
      type: 'JSON',
      description:
        'The ids and the state of what it is about, in the form of `data_schema` of its type; at most 20 kB. Members may ' +
        'be added.',
    }),
  }),
})
