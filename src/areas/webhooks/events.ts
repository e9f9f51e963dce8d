/** The events of webhook endpoints. */
import { declareEvents, maybeText, text } from '../../schema/events/declare.ts'
import { EVERYBODY } from '../../schema/events/sight.ts'
import type { EndpointRow } from './endpoint.ts'

export const ENDPOINT_EVENTS = declareEvents('webhook_endpoint', {
  data: {
    endpoint_id: text('The endpoint.'),
    disabled_reason: maybeText('The reason why it is off. null: it is on.'),
  },
  seen: EVERYBODY,
  about: ({ endpoint_id }) => ({ id: endpoint_id }),
  events: {
    disabled: { severity: 'CRITICAL', description: 'The service turned a webhook endpoint off.' },
    switched: 'A person switched a webhook endpoint that the service had turned off.',
    deleted: 'A person deleted a webhook endpoint.',
    test: 'A person tries an endpoint, which gets the event alone: it is in no feed.',
  },
})

type Told = Pick<EndpointRow, 'id' | 'status' | 'disabled_reason'>

/** The events of a change that a person made, by its past verb. */
export function eventsOfChange(verb: string, endpoint: Told, before: Told | null) {
  const told = { endpoint_id: endpoint.id, disabled_reason: endpoint.disabled_reason }
  if (verb === 'deleted') return [ENDPOINT_EVENTS.deleted(told)]
  const is_switched = before?.status === 'AUTO_DISABLED' && endpoint.status !== 'AUTO_DISABLED'
  return is_switched ? [ENDPOINT_EVENTS.switched(told)] : []
}
