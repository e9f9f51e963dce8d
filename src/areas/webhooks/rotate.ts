import { scope } from '../../access/policies/policies.ts'
import { db, ownKey } from '../../db/db.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { area } from './area.ts'
import { endpointEtag, IssuedWebhookEndpoint } from './endpoint.ts'
import { ENDPOINT } from './queries.ts'
import { newSecret, placeOf } from './secrets.ts'

const WebhookSecretRotation = builder.inputType('WebhookSecretRotation', {
  description: 'The way to rotate the secret.',
  fields: (t) => ({
    expire_previous_now: t.boolean({
      defaultValue: false,
      description:
        'True: the previous secret ends now, and signs no longer. It is for a secret that has leaked.',
    }),
  }),
})

area.mutation('rotate_webhook_endpoint_secret', (t) =>
  t.field({
    type: IssuedWebhookEndpoint,
    description:
      'Makes a new secret, which is in this answer only. For 24 hours the previous one signs too, so that every request has ' +
      'two signatures; the one before that signs no more. Attempts that have begun are signed by the secrets of their begin.',
    rest: { method: 'POST', path: '/webhook-endpoints/{endpoint_id}/rotate-secret' },
    access: scope('webhooks:write'),
    errors: ['webhook_endpoint_not_found', 'secret_already_issued', 'version_conflict'],
    etag: endpointEtag,
    args: {
      endpoint_id: t.arg(ENDPOINT.key),
      input: t.arg({ type: WebhookSecretRotation, description: 'May be left out.' }),
    },
    resolve: async (_root, { endpoint_id, input }, ctx) => {
      const id = String(endpoint_id)
      const where = { tenant_id_environment_id: ownKey(ctx, { id }) }
      const secret = newSecret()
      ctx.secret_of = id
      const row = await change(ctx, ENDPOINT, ENDPOINT.lock(ctx, endpoint_id), {
        verb: 'secret_rotated',
        decide: () => ({ secret_rotated_at: ctx.now }),
        async beforeWrite() {
          const { secret: previous } = await db(ctx).webhookEndpoint.findUniqueOrThrow({
            where,
            select: { secret: true },
          })
          await db(ctx).webhookEndpoint.updateMany({
            where: { id },
            data: {
              secret: ctx.services.secret_box.encrypt(secret, placeOf(ownKey(ctx, { id }))),
              previous_secret: input?.expire_previous_now ? null : previous,
            },
          })
        },
      })
      return { ...row, secret }
    },
  }),
)
