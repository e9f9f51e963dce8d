import { scope } from '../../access/policies/policies.ts'
import { db } from '../../db/db.ts'
import { ApiError, bodyProblem, invalid } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import type { PatchOf } from '../../schema/changes/change.ts'
import { listOperation } from '../../schema/lists/list-operation.ts'
import { NO_FIELDS } from '../../schema/selection.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { WebhookDelivery } from './delivery.ts'
import { type EndpointRow, WebhookEndpointStatus } from './endpoint.ts'
import { checkInput, description, eventTypes, filterColumns, filters, url } from './input.ts'
import { DELIVERIES, DELIVERY, ENDPOINT, ENDPOINTS, failPending } from './queries.ts'
import './create.ts'
import './replay.ts'
import './rotate.ts'
import './test.ts'

const readers = scope('webhooks:read')
const writers = scope('webhooks:write')

const endpoints = onTable(area, ENDPOINT)

endpoints.list('webhook_endpoints', ENDPOINTS, {
  description: 'Lists the webhook endpoints, the newest first.',
  rest: { method: 'GET', path: '/webhook-endpoints' },
  access: readers,
})

endpoints.read('webhook_endpoint', {
  description: 'Gets a webhook endpoint.',
  rest: { method: 'GET', path: '/webhook-endpoints/{endpoint_id}' },
  access: readers,
})

const WebhookEndpointPatch = builder.inputType('WebhookEndpointPatch', {
  description: 'The fields to change. A field that is left out keeps its value.',
  fields: (t) => ({
    url: t.string(url),
    description: t.string(description),
    event_types: t.stringList(eventTypes),
    filters: t.field(filters),
    status: t.field({
      type: WebhookEndpointStatus,
      description:
        'ENABLED or DISABLED. Only the service sets AUTO_DISABLED; an endpoint that has it keeps it.',
    }),
  }),
})

function patchOf(
  input: typeof WebhookEndpointPatch.$inferInput,
  { status }: EndpointRow,
): PatchOf<typeof ENDPOINT> {
  const is_switched = input.status != null && input.status !== status
  if (is_switched && input.status === 'AUTO_DISABLED')
    throw invalid([bodyProblem('status', 'read_only', 'is set to AUTO_DISABLED by the service alone')])
  return {
    ...(input.url && { url: input.url }),
    ...(input.description !== undefined && { description: input.description || null }),
    ...(input.event_types && { event_types: [...new Set(input.event_types)] }),
    ...(input.filters !== undefined && filterColumns(input.filters)),
    ...(is_switched &&
      input.status === 'ENABLED' && { status: 'ENABLED', disabled_reason: null, failing_since: null }),
    ...(is_switched && input.status === 'DISABLED' && { status: 'DISABLED', disabled_reason: 'MANUAL' }),
  }
}

endpoints.change('update_webhook_endpoint', {
  description:
    'Changes an endpoint. ENABLED turns it on, whatever turned it off: it gets what happens from now on, and `replay` sends ' +
    'what it has missed. Another address is that of deliveries that wait too.',
  rest: { method: 'PATCH', path: '/webhook-endpoints/{endpoint_id}' },
  access: writers,
  errors: ['webhook_url_not_allowed'],
  input: WebhookEndpointPatch,
  change(ctx, { input, id }) {
    checkInput(input, ctx.services.allow_private_addresses)
    return {
      verb: 'updated',
      decide: (endpoint) => patchOf(input, endpoint),
      async beforeWrite({ status }) {
        if (input.status === 'DISABLED' && status === 'ENABLED') await failPending(ctx, id)
        const is_fresh = input.url || (input.status === 'ENABLED' && status !== 'ENABLED')
        if (is_fresh)
          await db(ctx).webhookEndpoint.updateMany({ where: { id }, data: { failures: 0, resumes_at: null } })
      },
    }
  },
})

endpoints.remove('delete_webhook_endpoint', {
  description:
    'Deletes an endpoint. The deliveries that wait end FAILED; one under way ends as the endpoint answers it. Deliveries can ' +
    'be read for 30 days, each by its id.',
  rest: { method: 'DELETE', path: '/webhook-endpoints/{endpoint_id}' },
  access: writers,
  removal: (ctx) => ({ beforeDelete: ({ id }) => failPending(ctx, id) }),
})

const deliveries = onTable(area, DELIVERY)

listOperation(area, 'webhook_deliveries', DELIVERIES, {
  of: WebhookDelivery,
  description: 'Lists the deliveries of an endpoint whose events the caller sees, the newest first.',
  rest: { method: 'GET', path: '/webhook-endpoints/{endpoint_id}/deliveries' },
  access: readers,
  errors: ['webhook_endpoint_not_found'],
  check: (ctx, { endpoint_id }) => ENDPOINT.select(ctx, endpoint_id as never, NO_FIELDS),
})

deliveries.read('webhook_delivery', {
  description:
    'Gets a delivery. One of an event that the caller does not see is answered as one that does not exist.',
  rest: { method: 'GET', path: '/webhook-deliveries/{delivery_id}' },
  access: readers,
})

deliveries.change('resend_webhook_delivery', {
  description:
    'Sends the event of a delivery again, under the same `webhook-id`: the delivery is PENDING, and tried as a new one is.',
  rest: { method: 'POST', path: '/webhook-deliveries/{delivery_id}/resend' },
  access: writers,
  errors: ['webhook_endpoint_not_found', 'webhook_endpoint_disabled'],
  async change(ctx, { id }) {
    const { endpoint_id } = await DELIVERY.select(ctx, id, new Set(['endpoint_id']))
    // The endpoint is locked before its deliveries, as it is when it is turned off.
    const { status } = await ENDPOINT.lock(ctx, endpoint_id as never)
    if (status !== 'ENABLED') throw new ApiError('webhook_endpoint_disabled', { details: { status } })
    return {
      verb: 'resent',
      decide: () => ({ status: 'PENDING', tries: 0, next_attempt_at: ctx.now, delivered_at: null }),
    }
  },
})
