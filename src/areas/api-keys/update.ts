import { dashboardAdminsDirectly } from '../../access/policies/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { invalid } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import { readOnlyField, refuseReadOnly } from '../../schema/changes/read-only.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { keyDescription, keyName, networkList, scopeList } from './input.ts'
import { API_KEY, checkNameIsFree } from './queries.ts'
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

onTable(area, API_KEY).change('update_api_key', {
  description: 'Changes the fields that are given, from the next request with the key on.',
  rest: { method: 'PATCH', path: '/api-keys/{key_id}' },
  access: dashboardAdminsDirectly,
  errors: ['api_key_not_active', 'api_key_name_taken', 'read_only_field'],
  input: ApiKeyPatch,
  async change(ctx, { input, id }) {
    const { name, description, scopes, allowed_cidrs } = refuseReadOnly(input, [
      'acting_user_id',
      'allow_acting_user_header',
    ])
    // The lock of names comes before the key's, as when a key is made.
    if (name) await API_KEY.serialise(ctx)
    return {
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
        if (name && statusOf(key, ctx.now) === 'ACTIVE') await checkNameIsFree(ctx, name, id)
      },
    }
  },
})
