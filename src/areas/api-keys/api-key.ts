/** The record of an API key, without its secret. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { type Condition, oneOf, shaped } from '../../db/shaped.ts'
import { found } from '../../errors.ts'
import type { Context } from '../../gateway/context.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { containsPattern } from '../../lib/like-pattern.ts'
import { builder } from '../../schema/builder.ts'
import { Id } from '../../schema/scalars.ts'
import { type Lifetime, type STATUSES, type Status, statusOf, statusSql } from './rules.ts'

export interface ApiKeyRow extends Lifetime {
  environment: string
  id: string
  name: string
  description: string | null
  prefix: string
  last_four: string
  scopes: string[]
  acting_user_id: string | null
  allow_acting_user_header: boolean
  allowed_cidrs: string[]
  created_by_name: string
  revision: number
  updated_at: Date
  last_used_at: Date | null
  last_used_ip: string | null
  replaced_by_key_id: string | null
  rotated_from_key_id: string | null
  revoked_by_name: string | null
  revoke_reason: string | null
}

const COLUMNS = `environment, id, name, description, prefix, last_four, scopes, acting_user_id,
  allow_acting_user_header, allowed_cidrs, created_by_name, revision, created_at, updated_at, expires_at,
  last_used_at, last_used_ip, sunset_at, replaced_by_key_id, rotated_from_key_id, revoked_at, revoked_by_name, revoke_reason`

const BY_ID = scoped(
  'api_keys.by_id',
  `select ${COLUMNS} from api_key where tenant_id = $1 and environment = $2 and id = $3::text`,
)

const LOCKED = scoped('api_keys.locked', `${BY_ID.text} for update`)

/** The key, or 404. */
export const readKey = async (ctx: DatabaseContext, id: string): Promise<ApiKeyRow> =>
  found((await sql<ApiKeyRow>(ctx, BY_ID, [id]))[0], 'api_key_not_found', id)

/** The key, or 404; nobody else changes it before the transaction ends. */
export const lockKey = async (ctx: Context, id: string): Promise<ApiKeyRow> =>
  found((await sql<ApiKeyRow>(ctx, LOCKED, [id]))[0], 'api_key_not_found', id)

const LIST = shaped<ApiKeyRow>(
  'api_keys.list',
  (and) => `select ${COLUMNS} from api_key where tenant_id = $1 and environment = $2${and}
   order by created_at desc, id desc limit $3`,
)

interface Listing {
  status?: readonly Status[] | null | undefined
  search?: string | null | undefined
  /** The sort key to start after; null for the first page. */
  after: readonly unknown[] | null
  limit: number
}

function inState(status: readonly Status[] | null | undefined, now: Date): Condition | null {
  const condition = oneOf('status', statusSql('?'), status)
  return condition && { ...condition, values: [now, ...(condition.values ?? [])] }
}

const told = (search: string): Condition => ({
  name: 'search',
  text: `concat_ws(e'\\n', name, description, prefix) ilike ?::text`,
  values: [containsPattern(search)],
})

const older = (key: readonly unknown[]): Condition => ({
  name: 'after',
  text: '(created_at, id) < (?::timestamptz, ?::text)',
  values: key,
})

/** The keys from one place in the list on, the newest first. */
export const listKeys = (ctx: Context, { status, search, after, limit }: Listing): Promise<ApiKeyRow[]> =>
  LIST(ctx, [limit], [inState(status, ctx.now), search ? told(search) : null, after && older(after)])

export const keyId = { type: Id, required: true, description: 'The id of the key.' } as const

/** The state and the last use of a key change without a new revision. */
export const keyEtag = (key: ApiKeyRow, { now }: Context): string =>
  etagOf(key.revision, [statusOf(key, now), key.last_used_at, key.last_used_ip])

/** How activity rows name the key. */
export const targetOf = ({ id, name }: Pick<ApiKeyRow, 'id' | 'name'>) => ({ type: 'api_key', id, name })

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
