/** The test of an endpoint: one event of its own, which is sent at once. */
import { randomBytes } from 'node:crypto'
import { scope } from '../../access/policies/policies.ts'
import { db, ownKey, tenancyOf } from '../../db/db.ts'
import { found } from '../../errors/errors.ts'
import { record } from '../../gateway/activity.ts'
import type { Context } from '../../gateway/context.ts'
import { newId } from '../../lib/ids.ts'
import { targetOf } from '../../schema/changes/change.ts'
import { eventBody, TEST_EVENT } from '../events/index.ts'
import { area } from './area.ts'
import { attempt, type Made, receiverOf } from './attempt.ts'
import { deliveryEtag, WebhookDelivery } from './delivery.ts'
import type { EndpointRow } from './endpoint.ts'
import { ENDPOINT_EVENTS } from './events.ts'
import { DELIVERY, ENDPOINT } from './queries.ts'
import type { StoredSecrets } from './secrets.ts'
import { settle } from './settle.ts'

type Endpoint = StoredSecrets & Pick<EndpointRow, 'id' | 'url' | 'disabled_reason'>

interface Tested extends Made {
  event_id: string
  body: string
}

/** Sends an event of its own to the endpoint. */
async function tried(ctx: Context, endpoint: Endpoint): Promise<Tested> {
  const { id: endpoint_id, disabled_reason } = endpoint
  const event_id = `evt_${randomBytes(16).toString('hex')}`
  const { data } = ENDPOINT_EVENTS.test({ endpoint_id, disabled_reason })
  const { tenant_id, environment } = tenancyOf(ctx)
  const event = { event_id, type: TEST_EVENT, sequence: 0, at: ctx.now, tenant_id, environment, data }
  const body = eventBody(event)
  return { event_id, body, ...(await attempt(ctx, receiverOf(ctx, endpoint), event_id, body)) }
}

area.mutation('test_webhook_endpoint', (t) =>
  t.field({
    type: WebhookDelivery,
    description:
      'Tries an endpoint, also one that is off, and answers with the delivery after its one attempt. The event has the type ' +
      '`webhook_endpoint.test`, is in no feed, and its `sequence` is 0.',
    rest: { method: 'POST', path: '/webhook-endpoints/{endpoint_id}/test' },
    access: scope('webhooks:write'),
    errors: ['webhook_endpoint_not_found'],
    etag: deliveryEtag,
    args: { endpoint_id: t.arg(ENDPOINT.key) },
    resolve: async (_root, { endpoint_id }, ctx) => {
      const where = { tenant_id_environment_id: ownKey(ctx, { id: String(endpoint_id) }) }
      const endpoint = found(
        await db(ctx).webhookEndpoint.findUnique({ where }),
        ENDPOINT.not_found,
        endpoint_id,
      )
      // The endpoint takes its time while no transaction is open. A transaction that is tried again sends nothing again.
      const send = () => tried(ctx, endpoint)
      const question = JSON.stringify(['test_webhook_endpoint', endpoint.id])
      const { event_id, body, ...made } = (await (ctx.external_reads?.read(question, send) ??
        send())) as Tested
      const locked = await ENDPOINT.lock(ctx, endpoint_id)
      const { id, revision, tries } = await DELIVERY.insert(ctx, {
        id: newId('whd'),
        endpoint_id: endpoint.id,
        event_id,
        event_type: TEST_EVENT,
        test_event: body,
      })
      await settle(ctx, endpoint.id, [{ id, revision, tries, is_test: true, made }], ctx.now)
      const delivery = await DELIVERY.read(ctx, id as never)
      const targets = [targetOf(ENDPOINT, ENDPOINT.named(locked))]
      await record(
        ctx,
        { action: 'webhook_endpoint.tested', targets, after: { status: delivery.status } },
        { last: true },
      )
      return delivery
    },
  }),
)
