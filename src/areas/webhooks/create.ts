import { scope } from '../../access/policies/policies.ts'
import { callerOf, personIdOf, recordedName } from '../../access/viewer.ts'
import { db, ownKey } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import { newId } from '../../lib/ids.ts'
import { builder } from '../../schema/builder.ts'
import { area } from './area.ts'
import { endpointEtag, IssuedWebhookEndpoint } from './endpoint.ts'
import { checkInput, description, eventTypes, filterColumns, filters, url } from './input.ts'
import { CURSOR, ENDPOINT } from './queries.ts'
import { MAX_ENDPOINTS } from './rules.ts'
import { newSecret, placeOf } from './secrets.ts'

const WebhookEndpointDraft = builder.inputType('WebhookEndpointDraft', {
  description: 'The endpoint to create.',
  fields: (t) => ({
    url: t.string({ ...url, required: true }),
    description: t.string(description),
    event_types: t.stringList({ ...eventTypes, required: true }),
    filters: t.field(filters),
  }),
})

area.mutation('create_webhook_endpoint', (t) =>
  t.field({
    type: IssuedWebhookEndpoint,
    description:
      'Creates an endpoint, which gets the events from now on that its creator sees. An endpoint of a key without an acting ' +
      'user gets those of the tenant. The secret is in this answer only: the same request again, with the same Idempotency-Key, is answered ' +
      'with 409 `secret_already_issued`. An environment has at most 20 endpoints.',
    rest: { method: 'POST', path: '/webhook-endpoints' },
    access: scope('webhooks:write'),
    errors: ['webhook_url_not_allowed', 'webhook_endpoint_limit_reached', 'secret_already_issued'],
    etag: endpointEtag,
    args: { input: t.arg({ type: WebhookEndpointDraft, required: true }) },
    resolve: async (_root, { input }, ctx) => {
      const { secret_box, allow_private_addresses } = ctx.services
      checkInput(input, allow_private_addresses)
      await ENDPOINT.serialise(ctx)
      if ((await db(ctx).webhookEndpoint.count()) >= MAX_ENDPOINTS)
        throw new ApiError('webhook_endpoint_limit_reached', { details: { limit: MAX_ENDPOINTS } })
      await CURSOR.begin(ctx)
      const viewer = callerOf(ctx)
      const owner_user_id = personIdOf(viewer)
      const id = newId('whe')
      const secret = newSecret()
      ctx.secret_of = id
      ctx.location = `/webhook-endpoints/${id}`
      const row = await ENDPOINT.create(ctx, {
        id,
        url: input.url,
        description: input.description || null,
        event_types: [...new Set(input.event_types)],
        ...filterColumns(input.filters),
        secret: secret_box.encrypt(secret, placeOf(ownKey(ctx, { id }))),
        owner_user_id,
        created_by_key_id: owner_user_id === null ? viewer.id : null,
        created_by_name: recordedName(viewer),
      })
      return { ...row, secret }
    },
  }),
)
