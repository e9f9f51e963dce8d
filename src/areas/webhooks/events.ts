/** The events of webhook endpoints. */
import { declareEvents, maybeText, text } from '../../schema/events/declare.ts'
import { EVERYBODY } from '../../schema/events/sight.ts'

export const ENDPOINT_EVENTS = declareEvents('webhook_endpoint', {
  data: {
    endpoint_id: text('The endpoint.'),
    disabled_reason: maybeText('The reason why it is off. null: it is on.'),
  },
  seen: EVERYBODY,
  about: ({ endpoint_id }) => ({ id: endpoint_id }),
  events: {
    disabled: { severity: 'CRITICAL', description: 'The service turned a webhook endpoint off.' },
    test: 'A person tries an endpoint, which gets the event alone: it is in no feed.',
  },
})
