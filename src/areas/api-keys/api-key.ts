/** API keys, as they are stored and as callers see them. */
import type { Context } from '../../gateway/context.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { type STATUSES, statusOf } from './rules.ts'

export type ApiKeyRow = Row<'ApiKey'>

export interface IssuedKey extends ApiKeyRow {
  /** The secret. It is in the answer that makes the key and nowhere else. */
  key: string
}

/** The state and the last use of a key change without a new revision. */
export const keyEtag = (key: ApiKeyRow, { now }: Context): string =>
  etagOf(key.revision, [statusOf(key, now), key.last_used_at, key.last_used_ip])

export const ApiKeyStatus = builder.enumType('ApiKeyStatus', {
  description: 'The state of a key.',
  values: {
    ACTIVE: { description: 'It works.' },
    SUNSETTING: { description: 'It has been rotated, and works until `sunset_at`.' },
    EXPIRED: { description: 'Its time is over.' },
    REVOKED: { description: 'It was revoked, and has not worked since.' },
  } satisfies Record<(typeof STATUSES)[number], { description: string }>,
})

const from = madeOf<ApiKeyRow>()

export const ApiKey = rowType('ApiKey', {
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    description: t.exposeString('description', { nullable: true }),
    prefix: t.exposeString('prefix'),
    last_four: t.exposeString('last_four'),
    status: t.field({
      type: ApiKeyStatus,
      description: 'The state at the time of the request.',
      ...from(['expires_at', 'sunset_at', 'revoked_at'], (key, _args, ctx) => statusOf(key, ctx.now)),
    }),
    scopes: t.exposeStringList('scopes'),
    environment: t.exposeString('environment'),
    acting_user_id: t.exposeID('acting_user_id', { nullable: true }),
    allow_acting_user_header: t.exposeBoolean('allow_acting_user_header'),
    allowed_cidrs: t.exposeStringList('allowed_cidrs'),
    created_at: t.expose('created_at', { type: 'DateTime' }),
    created_by_name: t.exposeString('created_by_name'),
    expires_at: t.expose('expires_at', { type: 'DateTime' }),
    last_used_at: t.expose('last_used_at', { type: 'DateTime', nullable: true }),
    last_used_ip: t.expose('last_used_ip', { type: 'IP', nullable: true }),
    sunset_at: t.expose('sunset_at', { type: 'DateTime', nullable: true }),
    replaced_by_key_id: t.exposeID('replaced_by_key_id', { nullable: true }),
    rotated_from_key_id: t.exposeID('rotated_from_key_id', { nullable: true }),
    revoked_at: t.expose('revoked_at', { type: 'DateTime', nullable: true }),
    revoked_by_name: t.exposeString('revoked_by_name', { nullable: true }),
    revoke_reason: t.exposeString('revoke_reason', { nullable: true }),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})
