import { dashboardAdminsDirectly } from '../../access/policies/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { ApiKey, keyEtag } from './api-key.ts'
import { area } from './area.ts'
import { API_KEY } from './queries.ts'
import { STATUSES } from './rules.ts'

const ApiKeyRevocation = builder.inputType('ApiKeyRevocation', {
  description: 'The reason of the revocation.',
  fields: (t) => ({
    reason: t.string({
      min_length: 1,
      max_length: 255,
      nullable: true,
      description: 'The reason why the key is revoked. null: none is given.',
    }),
  }),
})

area.mutation('revoke_api_key', (t) =>
  t.field({
    type: ApiKey,
    description:
      'Revokes the key immediately: the next request with it is refused. Revoking it again changes nothing and ' +
      'answers with the first revocation.',
    rest: { method: 'DELETE', path: '/api-keys/{key_id}' },
    access: dashboardAdminsDirectly,
    errors: ['api_key_not_found', 'version_conflict'],
    etag: keyEtag,
    args: {
      key_id: t.arg(API_KEY.key),
      input: t.arg({ type: ApiKeyRevocation, description: 'May be left out.' }),
    },
    resolve: (_root, { key_id, input }, ctx) =>
      change(ctx, API_KEY, API_KEY.lock(ctx, key_id), {
        verb: 'revoked',
        // Contract silent: a key that has expired can be revoked too, so that no revocation is ever refused.
        from: STATUSES,
        to: 'REVOKED',
        decide: () => ({
          revoked_at: ctx.now,
          revoked_by_name: callerOf(ctx).name,
          revoke_reason: input?.reason ?? null,
        }),
      }),
  }),
)
