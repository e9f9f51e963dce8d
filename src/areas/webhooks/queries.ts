/** The tables of endpoints and deliveries, and their lists. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { declaredEvents } from '../../schema/events/declare.ts'
import { facet } from '../../schema/lists/list.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { feedCursor, readerOf, seenBy } from '../events/index.ts'
import { type DeliveryRow, deliveryEtag, WebhookDelivery } from './delivery.ts'
import { type EndpointRow, endpointEtag, WebhookEndpoint } from './endpoint.ts'
import { eventsOfChange } from './events.ts'

type EndpointStatus = EndpointRow['status']

/** Columns that no caller reads: secrets, the owner of the sight, and the state of sending. */
const UNREAD = [
  'secret',
  'previous_secret',
  'owner_user_id',
  'created_by_key_id',
  'failures',
  'resumes_at',
  'is_slow',
  'job_id',
  'job_until',
] as const

/** Endpoints are seen by whoever may read webhooks. */
export const ENDPOINT = defineTable<EndpointRow, EndpointStatus>()('WebhookEndpoint', {
  alias: 'w',
  noun: 'webhook_endpoint',
  type: WebhookEndpoint,
  argument: 'endpoint_id',
  description: 'The id of the endpoint.',
  not_found: 'webhook_endpoint_not_found',
  prefix: 'whe',
  title: ({ url }) => new URL(url).host,
  etag: endpointEtag,
  unread: UNREAD,
  constant: ['created_by_name', 'last_success_at'],
  events: eventsOfChange,
  state: {
    of: ({ status }) => status,
    refusal: (_row, status) => new ApiError('webhook_endpoint_disabled', { details: { status } }),
  },
})

export const ENDPOINTS = ENDPOINT.list({
  name: 'webhook_endpoints',
  filters: { status: ENDPOINT.by.isOneOf('status', 'Only endpoints with one of these statuses') },
})

/**
 * SQL: true if the caller sees the event of the delivery, whose kind decides if they see every agent. A scalar subquery, since
 * PostgreSQL may read all events of the tenant at once for `exists`.
 */
const SEES_EVENT = (ctx: Context): string =>
  seenBy(readerOf(ctx), declaredEvents(), {
    type: 'd.event_type',
    of_event: (condition) => `coalesce((select ${condition} from live_event e where e.tenant_id = $1
      and e.environment = $2 and e.event_id = d.event_id and e.sequence is not null), false)`,
  })

/** Deliveries are seen by whoever sees their events. */
export const DELIVERY = defineTable<DeliveryRow>()('WebhookDelivery', {
  alias: 'd',
  noun: 'webhook_delivery',
  type: WebhookDelivery,
  argument: 'delivery_id',
  description: 'The id of the delivery.',
  not_found: 'webhook_delivery_not_found',
  title: ({ event_type }) => event_type,
  etag: deliveryEtag,
  visible: (ctx) => ({ text: SEES_EVENT(ctx) }),
  parameters: {
    user: (ctx) => readerOf(ctx).user,
    person: (ctx) => readerOf(ctx).person,
    key: (ctx) => readerOf(ctx).key,
  },
  constant: ['endpoint_id', 'event_id', 'event_type', 'test_event'],
  // An attempt and its outcome are no change of a caller.
  recorded: ({ id, endpoint_id, event_id, status, next_attempt_at }) => ({
    id,
    endpoint_id,
    event_id,
    status,
    next_attempt_at,
  }),
})

/** The deliveries of one endpoint, the newest first. */
export const DELIVERIES = DELIVERY.list({
  name: 'webhook_deliveries',
  facets: { endpoint_id: 'd.endpoint_id', status: 'd.status', event_type: 'd.event_type' },
  filters: {
    // The list has an index, whatever the facets of its rows.
    endpoint_id: {
      ...ENDPOINT.key,
      where: (id: string) => ({ ...facet('d.endpoint_id = ?::text')(id), is_usual: true }),
    },
    status: DELIVERY.by.isOneOf('status', 'Only deliveries with one of these statuses', 'facet'),
    event_type: DELIVERY.by.is('event_type', 'Only deliveries of events of this type.', 'facet'),
  },
})

const FAIL_PENDING = scoped(
  'webhooks.fail_pending',
  `update webhook_delivery d set status = 'FAILED', next_attempt_at = null, updated_at = $4::timestamptz
   where d.tenant_id = $1 and d.environment = $2 and d.endpoint_id = $3::text and d.status = 'PENDING'`,
)

/** Ends the deliveries that wait, of an endpoint whose row is locked. */
export async function failPending(ctx: DatabaseContext & { now: Date }, endpoint_id: string): Promise<void> {
  await sql(ctx, FAIL_PENDING, [endpoint_id, ctx.now])
}

/** The events up to it have their deliveries. It begins with the first endpoint. */
export const CURSOR = feedCursor('webhook_cursor')

const AMONG = scoped(
  'webhooks.among',
  `select w.id, w.url, w.status from webhook_endpoint w
   where w.tenant_id = $1 and w.environment = $2 and w.id = any($3::text[]) order by w.id`,
)

const among = (ctx: DatabaseContext, ids: readonly string[]) =>
  sql<Pick<EndpointRow, 'id' | 'url' | 'status'>>(ctx, AMONG, [ids])

/** The ids among these that are endpoints of the tenant. */
export const knownEndpoints = async (ctx: DatabaseContext, ids: readonly string[]): Promise<Set<string>> =>
  new Set((await among(ctx, ids)).map(({ id }) => id))

/** The endpoints among these that are on, with the hosts of their addresses. */
export const enabledEndpoints = async (
  ctx: DatabaseContext,
  ids: readonly string[],
): Promise<{ id: string; host: string }[]> =>
  (await among(ctx, ids))
    .filter(({ status }) => status === 'ENABLED')
    .map(({ id, url }) => ({ id, host: new URL(url).host }))
