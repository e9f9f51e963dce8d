/** The events of integrations, of their syncs, and of requests for integrations. */
import { raisedFrom } from '../../db/live/raise.ts'
import { declareEvents, maybeText, text, truth, word } from '../../schema/events/declare.ts'
import { EVERYBODY } from '../../schema/events/sight.ts'

// A trigger on `integration_sync` raises it.
declareEvents('integration', {
  data: {
    sync_id: text('The sync.'),
    name: text('The name of the integration.'),
    status: word('The status of the sync.', ['SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELLED']),
    is_full: truth('True if everything was read, and not only what changed.'),
    error: maybeText('The error. null: none.'),
  },
  seen: EVERYBODY,
  about: ({ sync_id }) => ({ id: sync_id }),
  events: { sync_finished: 'A sync of an integration ended.' },
})

export const CONNECTION_EVENTS = declareEvents('integration', {
  data: {
    name: text('The name of the integration.'),
    reason: word('The reason.', ['BY_PERSON', 'CREDENTIALS_REFUSED']),
  },
  seen: EVERYBODY,
  about: ({ name }) => ({ id: name }),
  events: {
    disconnected: {
      severity: 'CRITICAL',
      description:
        'A person disconnected an integration, or the system refused the credentials three times in a row. The connection ' +
        'stays then, and its health is DOWN: the event comes again once it has been healthy again.',
    },
  },
})

// A trigger on `integration_connection` raises it.
declareEvents('integration', {
  data: {
    name: text('The name of the integration.'),
    former_health: word('The health before.', ['DEGRADED', 'DOWN', 'UNKNOWN']),
  },
  seen: EVERYBODY,
  about: ({ name }) => ({ id: name }),
  events: { healthy: 'An integration is found healthy, and was not before.' },
})

/** The insert of the events of connections, the rows `c` of `from`, whose credentials the system refuses. */
export const refusalsRaised = (from: string): string =>
  raisedFrom({
    type: "'integration.disconnected'",
    entity_id: 'c.name',
    data: { name: 'c.name', reason: "'CREDENTIALS_REFUSED'" },
    from,
    tenancy: ['c.tenant_id', 'c.environment'],
  })

export const REQUEST_EVENTS = declareEvents('integration', {
  data: {
    request_id: text('The request for an integration.'),
    vendor_name: text('The vendor or product that was asked for.'),
    status: word('The status of the request.', [
      'RECEIVED',
      'UNDER_REVIEW',
      'PLANNED',
      'DECLINED',
      'DELIVERED',
    ]),
  },
  seen: EVERYBODY,
  about: ({ request_id }) => ({ id: request_id }),
  events: { request_updated: 'A request for an integration has another status.' },
})
