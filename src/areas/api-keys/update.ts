import { dashboardAdmins } from '../../access/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { db } from '../../db/db.ts'
import { ApiError, invalid } from '../../errors.ts'
import { record } from '../../gateway/activity.ts'
import { checkIfMatch } from '../../gateway/entity-tags.ts'
import { changesIn } from '../../lib/changes.ts'
import { builder } from '../../schema/builder.ts'
import { unchanged } from '../../schema/mutation.ts'
import { readOnlyField, refuseReadOnly } from '../../schema/read-only.ts'
import { lockNames, refuseTakenName } from './active-keys.ts'
import { ApiKey, keyEtag, keyId, lockKey, readKey, targetOf } from './api-key.ts'
import { area } from './area.ts'
import { keyDescription, keyName, networkList, scopeList } from './fields.ts'
import { merged, networkProblems, scopeProblems, statusOf } from './rules.ts'

const ApiKeyPatch = builder.inputType('ApiKeyPatch', {
  description: 'What to change. A field that is left out keeps its value.',
  fields: (t) => ({
    name: t.string(keyName),
    description: t.string({
      ...keyDescription,
      description: 'What the key is for. null or empty text clears it.',
    }),
    scopes: t.stringList({
      ...scopeList,
      description:
        'Replaces the scopes: those the key has, and those your role allows. From `api_key_scopes`.',
    }),
    allowed_cidrs: t.stringList(networkList),
    acting_user_id: t.field(readOnlyField),
    allow_acting_user_header: t.field(readOnlyField),
  }),
})

area.mutation('update_api_key', (t) =>
  t.field({
    type: ApiKey,
    description: 'Changes the fields that are given, from the next request with the key on.',
    rest: { method: 'PATCH', path: '/api-keys/{key_id}' },
    access: dashboardAdmins,
    errors: [
      'api_key_not_found',
      'api_key_not_active',
      'api_key_name_taken',
      'read_only_field',
      'version_conflict',
    ],
    etag: keyEtag,
    args: { key_id: t.arg(keyId), input: t.arg({ type: ApiKeyPatch, required: true }) },
    resolve: async (_root, { key_id, input }, ctx) => {
      refuseReadOnly(input, ['acting_user_id', 'allow_acting_user_header'])
      const { name, description, scopes, allowed_cidrs } = input
      if (name) await lockNames(ctx)
      const before = await lockKey(ctx, key_id)
      checkIfMatch(ctx, keyEtag(before, ctx))
      const status = statusOf(before, ctx.now)
      // Contract silent: a key that still works for the overlap can be changed; one that does not work cannot.
      if (status === 'EXPIRED' || status === 'REVOKED')
        throw new ApiError('api_key_not_active', { details: { status } })
      const mayGive = new Set([...before.scopes, ...callerOf(ctx).scopes])
      const problems = [...scopeProblems(scopes ?? [], mayGive), ...networkProblems(allowed_cidrs ?? [])]
      if (problems.length > 0) throw invalid(problems)
      if (name && status === 'ACTIVE') await refuseTakenName(ctx, name, key_id)
      const changes = changesIn(before, {
        ...(name && { name }),
        ...(description !== undefined && { description: description || null }),
        ...(scopes && { scopes: merged(scopes) }),
        ...(allowed_cidrs && { allowed_cidrs: [...new Set(allowed_cidrs)] }),
      })
      if (!changes) return unchanged(ctx, before)
      const data = { ...changes, revision: { increment: 1 }, updated_at: ctx.now }
      await db(ctx).apiKey.updateMany({ where: { id: key_id }, data })
      const after = await readKey(ctx, key_id)
      await record(ctx, { action: 'api_key.updated', targets: [targetOf(after)], before, after })
      return after
    },
  }),
)
