/** API keys, as they are stored and as callers see them. */
import type { Context } from '../../gateway/context.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
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
    ...t.columns('id', 'name', 'description', 'prefix', 'last_four'),
    status: t.field({
      type: ApiKeyStatus,
      description: 'The state at the time of the request.',
      ...from(['expires_at', 'sunset_at', 'revoked_at'], (key, _args, ctx) => statusOf(key, ctx.now)),
    }),
    ...t.columns('scopes', 'environment', 'acting_user_id', 'allow_acting_user_header', 'allowed_cidrs'),
    ...t.columns('created_at', 'created_by_name', 'expires_at', 'last_used_at', 'last_used_ip'),
    ...t.columns('sunset_at', 'replaced_by_key_id', 'rotated_from_key_id', 'revoked_at'),
    ...t.columns('revoked_by_name', 'revoke_reason', 'revision'),
  }),
})
