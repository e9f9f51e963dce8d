/** API keys, as they are stored and as callers see them. */
import type { Context } from '../../gateway/context.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import { Id } from '../../schema/scalars.ts'
import { type KeyDraft, type Lifetime, type STATUSES, statusOf } from './rules.ts'

export interface ApiKeyRow extends KeyDraft, Lifetime {
  environment: string
  id: string
  prefix: string
  last_four: string
  created_by_name: string
  revision: number
  updated_at: Date
  last_used_at: Date | null
  last_used_ip: string | null
  replaced_by_key_id: string | null
  revoked_by_name: string | null
  revoke_reason: string | null
}

export interface IssuedKey extends ApiKeyRow {
  /** The secret. It is in the answer that makes the key and nowhere else. */
  key: string
}

export const keyId = { type: Id, required: true, description: 'The id of the key.' } as const

/** The state and the last use of a key change without a new revision. */
export const keyEtag = (key: ApiKeyRow, { now }: Context): string =>
  etagOf(key.revision, [statusOf(key, now), key.last_used_at, key.last_used_ip])

export const ApiKeyStatus = builder.enumType('ApiKeyStatus', {
  description: 'Where a key is in its life.',
  values: {
    ACTIVE: { description: 'It works.' },
    SUNSETTING: { description: 'It has been rotated, and works until `sunset_at`.' },
    EXPIRED: { description: 'Its time is over.' },
    REVOKED: { description: 'It was revoked, and has not worked since.' },
  } satisfies Record<(typeof STATUSES)[number], { description: string }>,
})

export const ApiKey = builder.objectRef<ApiKeyRow>('ApiKey').implement({
  description: 'A key by which a service account calls the API. Its secret is not stored.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id of the key, which is not its secret.' }),
    name: t.exposeString('name', { description: '1 to 80 characters, unique among the ACTIVE keys.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'What the key is for, at most 255 characters.',
    }),
    prefix: t.exposeString('prefix', {
      description: 'The visible start of the secret: `svc_sk_<env>_` and six characters.',
    }),
    last_four: t.exposeString('last_four', { description: 'The last four characters of the secret.' }),
    status: t.field({
      type: ApiKeyStatus,
      description: 'The state at the time of the request.',
      resolve: (key, _args, ctx) => statusOf(key, ctx.now),
    }),
    scopes: t.exposeStringList('scopes', {
      description: 'What the key may do, as far as the role of who made it allows it too.',
    }),
    environment: t.exposeString('environment', { description: 'The environment the key works in.' }),
    acting_user_id: t.exposeString('acting_user_id', {
      nullable: true,
      description: 'The user in whose name every call of this key is made.',
    }),
    allow_acting_user_header: t.exposeBoolean('allow_acting_user_header', {
      description: 'Whether the header `X-Acting-User` may name the acting user.',
    }),
    allowed_cidrs: t.exposeStringList('allowed_cidrs', {
      description: 'Networks that the key may be used from, in CIDR notation. Empty: from anywhere.',
    }),
    created_at: t.expose('created_at', { type: 'DateTime', description: 'When it was made.' }),
    created_by_name: t.exposeString('created_by_name', { description: 'Who created or rotated it.' }),
    expires_at: t.expose('expires_at', {
      type: 'DateTime',
      description: 'When the key stops working. No key is endless.',
    }),
    last_used_at: t.expose('last_used_at', {
      type: 'DateTime',
      nullable: true,
      description: 'The latest request with it, at most 60 seconds late. null: it has not been used.',
    }),
    last_used_ip: t.exposeString('last_used_ip', {
      nullable: true,
      description: 'The address that request came from.',
    }),
    sunset_at: t.expose('sunset_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When a rotated key stops working: 24 hours after the rotation, or at `expires_at`.',
    }),
    replaced_by_key_id: t.exposeString('replaced_by_key_id', {
      nullable: true,
      description: 'The key that its rotation made.',
    }),
    rotated_from_key_id: t.exposeString('rotated_from_key_id', {
      nullable: true,
      description: 'The key whose rotation made it.',
    }),
    revoked_at: t.expose('revoked_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was revoked.',
    }),
    revoked_by_name: t.exposeString('revoked_by_name', { nullable: true, description: 'Who revoked it.' }),
    revoke_reason: t.exposeString('revoke_reason', { nullable: true, description: 'Why, if they said so.' }),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})
