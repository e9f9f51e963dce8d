import { dashboardAdminsDirectly } from '../../access/policies/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { ApiError, invalid } from '../../errors/errors.ts'
import { newId } from '../../lib/ids.ts'
import { builder } from '../../schema/builder.ts'
import { namesOfUsers } from '../tenant/index.ts'
import { ApiKeyStatus, type IssuedKey, keyEtag } from './api-key.ts'
import { area } from './area.ts'
import { keyDescription, keyLifetime, keyName, networkList, scopeList } from './input.ts'
import { createKey } from './queries.ts'
import { expiry, keyDraft, LIFETIME_DAYS, networkProblems, scopeProblems, statusOf } from './rules.ts'

const CreatedApiKey = builder.objectRef<IssuedKey>('CreatedApiKey').implement({
  description: 'A key that was just made.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the key, which is not its secret.' }),
    name: t.exposeString('name', { description: 'The name of the key.' }),
    key: t.exposeString('key', { description: 'The plaintext secret; returned once only.' }),
    created_at: t.expose('created_at', { type: 'DateTime', description: 'When it was made.' }),
    expires_at: t.expose('expires_at', { type: 'DateTime', description: 'When it stops working.' }),
    scopes: t.exposeStringList('scopes', { description: 'The scopes of the key.' }),
    status: t.field({
      type: ApiKeyStatus,
      description: 'ACTIVE.',
      resolve: (key, _args, ctx) => statusOf(key, ctx.now),
    }),
  }),
})

const ApiKeyDraft = builder.inputType('ApiKeyDraft', {
  description: 'The key to make.',
  fields: (t) => ({
    name: t.string({ ...keyName, required: true }),
    description: t.string({
      ...keyDescription,
      description: 'The purpose of the key. null or empty: none is given.',
    }),
    scopes: t.stringList({ ...scopeList, required: true }),
    expires_in_days: t.int(keyLifetime),
    acting_user_id: t.field({
      type: 'ID',
      nullable: true,
      description: 'The user in whose name every call is made; null: none. It cannot be changed later.',
    }),
    allow_acting_user_header: t.boolean({
      defaultValue: false,
      description: 'True if the header `X-Acting-User` may name the acting user.',
    }),
    allowed_cidrs: t.stringList(networkList),
  }),
})

area.mutation('create_api_key', (t) =>
  t.field({
    type: CreatedApiKey,
    description:
      'Makes a key. Its secret is in this answer only: the same request again, with the same Idempotency-Key, ' +
      'is answered with 409 `secret_already_issued`. An environment has at most 50 ACTIVE keys.',
    rest: { method: 'POST', path: '/api-keys' },
    access: dashboardAdminsDirectly,
    errors: [
      'api_key_name_taken',
      'api_key_limit_reached',
      'acting_user_not_allowed',
      'secret_already_issued',
    ],
    etag: keyEtag,
    args: { input: t.arg({ type: ApiKeyDraft, required: true }) },
    resolve: async (_root, { input }, ctx) => {
      const { name, scopes } = input
      const allowed_cidrs = [...new Set(input.allowed_cidrs)]
      const acting_user_id = input.acting_user_id ?? null
      const problems = [...scopeProblems(scopes, callerOf(ctx).scopes), ...networkProblems(allowed_cidrs)]
      if (problems.length > 0) throw invalid(problems)
      if (acting_user_id !== null) {
        const users = await namesOfUsers(ctx, [acting_user_id])
        if (users.size === 0) throw new ApiError('acting_user_not_allowed')
      }
      const draft = keyDraft({
        name,
        scopes,
        acting_user_id,
        allowed_cidrs,
        description: input.description || null,
        allow_acting_user_header: input.allow_acting_user_header ?? false,
        expires_at: expiry(ctx.now, input.expires_in_days ?? LIFETIME_DAYS.max),
      })
      const id = newId('key')
      ctx.location = `/api-keys/${id}`
      return await createKey(ctx, id, draft, callerOf(ctx))
    },
  }),
)
