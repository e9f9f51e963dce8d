import { dashboardAdminsDirectly } from '../../access/policies/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { newId } from '../../lib/ids.ts'
import { builder } from '../../schema/builder.ts'
import { change, targetOf } from '../../schema/changes/change.ts'
import { ApiKey, type ApiKeyRow, type IssuedKey, keyEtag } from './api-key.ts'
import { area } from './area.ts'
import { API_KEY, storeKey } from './queries.ts'
import { overlapEnd, replacementOf } from './rules.ts'

interface Rotation extends IssuedKey {
  rotated_from: ApiKeyRow
}

const RotatedApiKey = builder.objectRef<Rotation>('RotatedApiKey').implement({
  description: 'The replacement of a rotated key.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the replacement.' }),
    name: t.exposeString('name', { description: 'The name of the key it replaces.' }),
    key: t.exposeString('key', { description: 'The new plaintext secret; returned once only.' }),
    created_at: t.expose('created_at', { type: 'DateTime', description: 'When it was made.' }),
    expires_at: t.expose('expires_at', { type: 'DateTime', description: 'When it stops working.' }),
    rotated_from: t.expose('rotated_from', {
      type: ApiKey,
      graph_only: true,
      description: 'The key it replaces, as it is from now on.',
    }),
  }),
})

area.mutation('rotate_api_key', (t) =>
  t.field({
    type: RotatedApiKey,
    description:
      'Rotates the key. The replacement has its name, scopes, acting user, networks and length of life; the old key ' +
      'works for 24 hours more, or until it expires. The new secret is in this answer only.',
    rest: { method: 'POST', path: '/api-keys/{key_id}/rotate' },
    access: dashboardAdminsDirectly,
    errors: [
      'api_key_not_found',
      'api_key_already_rotated',
      'api_key_not_active',
      'secret_already_issued',
      'version_conflict',
    ],
    etag: keyEtag,
    args: { key_id: t.arg(API_KEY.key) },
    resolve: async (_root, { key_id }, ctx) => {
      const id = newId('key')
      const issued = Promise.withResolvers<IssuedKey>()
      const rotated_from = await change(ctx, API_KEY, API_KEY.lock(ctx, key_id), {
        verb: 'rotated',
        from: ['ACTIVE'],
        to: 'SUNSETTING',
        decide: ({ expires_at }) => ({ sunset_at: overlapEnd(ctx.now, expires_at), replaced_by_key_id: id }),
        beforeWrite: async (key) =>
          issued.resolve(await storeKey(ctx, id, replacementOf(key, ctx.now), callerOf(ctx))),
        otherTargets: ({ name }) => [targetOf(API_KEY, { id, name })],
      })
      return { ...(await issued.promise), rotated_from }
    },
  }),
)
