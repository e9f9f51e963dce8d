import { dashboardAdmins } from '../../access/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { db } from '../../db/db.ts'
import { record } from '../../gateway/activity.ts'
import { checkIfMatch } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import { unchanged } from '../../schema/mutation.ts'
import { ApiKey, keyEtag, keyId, lockKey, readKey, targetOf } from './api-key.ts'
import { area } from './area.ts'

const ApiKeyRevocation = builder.inputType('ApiKeyRevocation', {
  description: 'What is kept about the revocation.',
  fields: (t) => ({
    reason: t.string({
      min_length: 1,
      max_length: 255,
      nullable: true,
      description: 'Why the key is revoked. null: nothing is said.',
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
    access: dashboardAdmins,
    errors: ['api_key_not_found', 'version_conflict'],
    etag: keyEtag,
    args: {
      key_id: t.arg(keyId),
      input: t.arg({ type: ApiKeyRevocation, description: 'May be left out.' }),
    },
    resolve: async (_root, { key_id, input }, ctx) => {
      const before = await lockKey(ctx, key_id)
      checkIfMatch(ctx, keyEtag(before, ctx))
      if (before.revoked_at !== null) return unchanged(ctx, before)
      // Contract silent: a key that has expired can be revoked too, so that no revocation is ever refused.
      await db(ctx).apiKey.updateMany({
        where: { id: key_id },
        data: {
          revoked_at: ctx.now,
          revoked_by_name: callerOf(ctx).name,
          revoke_reason: input?.reason ?? null,
          revision: { increment: 1 },
          updated_at: ctx.now,
        },
      })
      const after = await readKey(ctx, key_id)
      await record(ctx, { action: 'api_key.revoked', targets: [targetOf(after)], before, after })
      return after
    },
  }),
)
