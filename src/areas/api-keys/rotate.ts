import { dashboardAdmins } from '../../access/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { db } from '../../db/db.ts'
import { ApiError } from '../../errors.ts'
import { record } from '../../gateway/activity.ts'
import { checkIfMatch } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import { type ApiKeyRow, keyEtag, keyId, lockKey, readKey, targetOf } from './api-key.ts'
import { area } from './area.ts'
import { type IssuedKey, issue } from './issue.ts'
import { overlapEnd, replacementExpiry, statusOf } from './rules.ts'

const RotatedApiKey = builder.objectRef<IssuedKey>('RotatedApiKey').implement({
  description: 'The replacement of a rotated key.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id of the replacement.' }),
    name: t.exposeString('name', { description: 'The name of the key it replaces.' }),
    key: t.exposeString('key', { description: 'The new plaintext secret; returned once only.' }),
    created_at: t.expose('created_at', { type: 'DateTime', description: 'When it was made.' }),
    expires_at: t.expose('expires_at', { type: 'DateTime', description: 'When it stops working.' }),
  }),
})

/** 409 for a key that cannot be rotated now. */
function refuseUnlessActive(key: ApiKeyRow, now: Date): void {
  const status = statusOf(key, now)
  if (status === 'ACTIVE') return
  if (status !== 'SUNSETTING') throw new ApiError('api_key_not_active', { details: { status } })
  const { replaced_by_key_id } = key
  throw new ApiError('api_key_already_rotated', { details: { status, replaced_by_key_id } })
}

area.mutation('rotate_api_key', (t) =>
  t.field({
    type: RotatedApiKey,
    description:
      'Rotates the key. The replacement has its name, scopes, acting user, networks and length of life; the old key ' +
      'works for 24 hours more, or until it expires. The new secret is in this answer only.',
    rest: { method: 'POST', path: '/api-keys/{key_id}/rotate' },
    access: dashboardAdmins,
    errors: [
      'api_key_not_found',
      'api_key_already_rotated',
      'api_key_not_active',
      'secret_already_issued',
      'version_conflict',
    ],
    etag: keyEtag,
    args: { key_id: t.arg(keyId) },
    resolve: async (_root, { key_id }, ctx) => {
      const before = await lockKey(ctx, key_id)
      checkIfMatch(ctx, keyEtag(before, ctx))
      refuseUnlessActive(before, ctx.now)
      const { name, description, scopes, acting_user_id, allow_acting_user_header, allowed_cidrs } = before
      const issued = await issue(
        ctx,
        {
          name,
          description,
          scopes,
          acting_user_id,
          allow_acting_user_header,
          allowed_cidrs,
          expires_at: replacementExpiry(ctx.now, before),
          rotated_from_key_id: key_id,
        },
        callerOf(ctx),
      )
      await db(ctx).apiKey.updateMany({
        where: { id: key_id },
        data: {
          sunset_at: overlapEnd(ctx.now, before.expires_at),
          replaced_by_key_id: issued.id,
          revision: { increment: 1 },
          updated_at: ctx.now,
        },
      })
      const after = await readKey(ctx, key_id)
      const targets = [targetOf(before), targetOf(issued)]
      await record(ctx, { action: 'api_key.rotated', targets, before, after })
      return issued
    },
  }),
)
