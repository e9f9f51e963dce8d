import { dashboardAdminsDirectly } from '../../access/policies/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { invalid } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { readOnlyField, refuseReadOnly } from '../../schema/changes/read-only.ts'
import { ApiKey, keyEtag, keyId } from './api-key.ts'
import { area } from './area.ts'
import { keyDescription, keyName, networkList, scopeList } from './input.ts'
import { API_KEY, checkNameIsFree, lockKey, lockNames } from './queries.ts'
import { inCatalogueOrder, networkProblems, scopeProblems, statusOf } from './rules.ts'

const ApiKeyPatch = builder.inputType('ApiKeyPatch', {
  description: 'The changes. A field that is left out keeps its value.',
  fields: (t) => ({
    name: t.string(keyName),
    description: t.string({
      ...keyDescription,
      description: 'The purpose of the key. null or empty text clears it.',
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
    access: dashboardAdminsDirectly,
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
      const { name, description, scopes, allowed_cidrs } = refuseReadOnly(input, [
        'acting_user_id',
        'allow_acting_user_header',
      ])
      // The name's lock comes before the key's, as when a key is made.
      if (name) await lockNames(ctx)
      return await change(ctx, API_KEY, lockKey(ctx, key_id), {
        verb: 'updated',
        // Contract silent: a key that still works for the overlap can be changed; one that does not work cannot.
        from: ['ACTIVE', 'SUNSETTING'],
        decide: (key) => {
          const mayGive = new Set([...key.scopes, ...callerOf(ctx).scopes])
          const problems = [...scopeProblems(scopes ?? [], mayGive), ...networkProblems(allowed_cidrs ?? [])]
          if (problems.length > 0) throw invalid(problems)
          return {
            ...(name && { name }),
            ...(description !== undefined && { description: description || null }),
            ...(scopes && { scopes: inCatalogueOrder(scopes) }),
            ...(allowed_cidrs && { allowed_cidrs: [...new Set(allowed_cidrs)] }),
          }
        },
        beforeWrite: async (key) => {
          if (name && statusOf(key, ctx.now) === 'ACTIVE') await checkNameIsFree(ctx, name, key_id)
        },
      })
    },
  }),
)
