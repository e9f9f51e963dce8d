/** The SQL of API keys, and how changes reach them. */
import {
  hashSecret,
  lastFourOf,
  newSecret,
  pepperId,
  prefixOf,
} from '../../access/credentials/api-key-secret.ts'
import { db, ownKey, scoped, sql, tenancyOf } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import { descending } from '../../db/query/keyset.ts'
import { projection } from '../../db/query/projection.ts'
import { lockTenant } from '../../db/transaction.ts'
import { ApiError, found } from '../../errors/errors.ts'
import { insertRecorded, recordedInsert } from '../../gateway/activity.ts'
import type { Context, MutationContext } from '../../gateway/context.ts'
import { searchable } from '../../lib/like-pattern.ts'
import type { Window } from '../../lib/window.ts'
import { SEARCH } from '../../schema/bounds/bounds.ts'
import { defineResource, targetOf } from '../../schema/changes/change.ts'
import { updateOf } from '../../schema/changes/row-update.ts'
import { contains, defineList } from '../../schema/lists/list.ts'
import { type ApiKeyRow, ApiKeyStatus, type IssuedKey, keyEtag } from './api-key.ts'
import {
  type Count,
  daysIn,
  type KeyDraft,
  MAX_ACTIVE,
  type Status,
  statusOf,
  statusSql,
  type Usage,
  usageByDay,
} from './rules.ts'

const ANSWERED = [
  ...(['environment', 'id', 'name', 'description', 'prefix', 'last_four', 'scopes'] as const),
  ...(['acting_user_id', 'allow_acting_user_header', 'channel', 'allowed_cidrs', 'created_by_name'] as const),
  ...(['revision', 'created_at', 'updated_at', 'expires_at', 'last_used_at', 'last_used_ip'] as const),
  ...(['sunset_at', 'replaced_by_key_id', 'rotated_from_key_id', 'revoked_at', 'revoked_by_name'] as const),
  ...(['revoke_reason'] as const),
] as const

const LOCK = scoped(
  'api_keys.lock',
  `select ${ANSWERED.join(', ')} from api_key where tenant_id = $1 and environment = $2 and id = $3 for update`,
)

/** The key, or 404; `query` is of the field that answers with it. */
export async function readKey(ctx: Context, id: string, query = {}): Promise<ApiKeyRow> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id }) }
  return found(await db(ctx).apiKey.findUnique({ ...query, where }), 'api_key_not_found', id)
}

/** The keys of the environment. Those that no longer work stay listed. */
export const API_KEYS = defineList<ApiKeyRow>()({
  name: 'api_keys',
  from: 'api_key k',
  columns: projection('ApiKey', 'k', { always: ['id'] }),
  order: [descending('created_at', 'timestamptz'), descending('id', 'text')],
  parameters: { now: (ctx) => ctx.now },
  filters: {
    status: {
      type: [ApiKeyStatus],
      min_items: 1,
      description: 'Only keys in one of these states: separated by commas, or repeated.',
      where: `${statusSql('$now')} = any(array(select unnest(?::text[])))`,
    },
    search: {
      ...SEARCH,
      type: 'String',
      description: 'Only keys with this in their name, description or `prefix`.',
      where: contains(searchable(`concat_ws(e'\\n', k.name, k.description, k.prefix)`)),
    },
  },
})

/** The key, or 404, locked until the transaction ends. */
export const lockKey = async (ctx: Context, id: string): Promise<ApiKeyRow> =>
  found((await sql<ApiKeyRow>(ctx, LOCK, [id]))[0], 'api_key_not_found', id)

/** 409 for a key whose state blocks the change. */
function stateRefusal(key: ApiKeyRow, status: Status): ApiError {
  const { replaced_by_key_id } = key
  return status === 'SUNSETTING'
    ? new ApiError('api_key_already_rotated', { details: { status, replaced_by_key_id } })
    : new ApiError('api_key_not_active', { details: { status } })
}

export const API_KEY = defineResource<ApiKeyRow, Status>()({
  noun: 'api_key',
  etag: keyEtag,
  named: ({ id, name }) => ({ id, name }),
  write: updateOf('ApiKey', {
    key: ['id'],
    columns: [
      ...(['name', 'description', 'scopes', 'allowed_cidrs', 'sunset_at', 'replaced_by_key_id'] as const),
      ...(['revoked_at', 'revoked_by_name', 'revoke_reason'] as const),
    ],
  }),
  state: { of: statusOf, refusal: stateRefusal },
})

/** Locks the names of the environment's keys until the transaction ends. */
export const lockNames = (ctx: MutationContext): Promise<void> =>
  lockTenant(ctx, `${tenancyOf(ctx).environment} api_keys`)

const ACTIVE = scoped(
  'api_keys.active',
  `select count(*)::int as count, min(id) filter (where name = $4 and id is distinct from $5::text) as taken_by
   from api_key where tenant_id = $1 and environment = $2
     and ${statusSql('$3')} = 'ACTIVE'`,
)

/** 409 if an ACTIVE key other than `own_id` has the name, or a new one would be one too many. */
export async function checkNameIsFree(
  ctx: MutationContext,
  name: string,
  own_id: string | null,
): Promise<void> {
  const [active] = await sql<{ count: number; taken_by: string | null }>(ctx, ACTIVE, [ctx.now, name, own_id])
  const { count = 0, taken_by = null } = active ?? {}
  if (taken_by !== null)
    throw new ApiError('api_key_name_taken', { details: { status: 'ACTIVE', api_key_id: taken_by } })
  if (own_id === null && count >= MAX_ACTIVE)
    throw new ApiError('api_key_limit_reached', { details: { status: 'ACTIVE', limit: MAX_ACTIVE } })
}

const INSERT = {
  columns: [
    ...(['id', 'name', 'description', 'key_hash', 'prefix', 'last_four', 'scopes'] as const),
    ...(['acting_user_id', 'allow_acting_user_header', 'channel', 'of_service', 'allowed_cidrs'] as const),
    ...(['created_by_user_id', 'created_by_name', 'created_at', 'updated_at', 'expires_at'] as const),
    ...(['rotated_from_key_id', 'pepper_id'] as const),
  ],
  returning: ANSWERED,
} as const

const STORE = insertOf('api_keys.store', 'ApiKey', INSERT)
const CREATE = recordedInsert('api_keys.create', 'ApiKey', INSERT)

export interface Creator {
  id: string
  name: string
}

/** A new key and its secret. Answers with a secret are never stored. */
function newKey(ctx: MutationContext, id: string, draft: KeyDraft, creator: Creator) {
  const key = newSecret(tenancyOf(ctx).environment)
  const [pepper] = ctx.services.key_peppers
  const secret = { key_hash: hashSecret(pepper, key), prefix: prefixOf(key), last_four: lastFourOf(key) }
  const row = {
    ...draft,
    ...secret,
    id,
    pepper_id: pepperId(pepper),
    created_by_user_id: creator.id,
    created_by_name: creator.name,
    created_at: ctx.now,
    updated_at: ctx.now,
  }
  ctx.secret_of = id
  return { key, row }
}

/** Stores a key as part of another change, which records the activity. */
export async function storeKey(
  ctx: MutationContext,
  id: string,
  draft: KeyDraft,
  creator: Creator,
): Promise<IssuedKey> {
  const { key, row } = newKey(ctx, id, draft, creator)
  const stored = await insert(ctx, STORE, row)
  return { ...(stored as ApiKeyRow), key }
}

/** Stores a key of the creator; 409 if its name is taken or there are too many. */
export async function createKey(
  ctx: MutationContext,
  id: string,
  draft: KeyDraft,
  creator: Creator,
): Promise<IssuedKey> {
  await lockNames(ctx)
  await checkNameIsFree(ctx, draft.name, null)
  const { key, row } = newKey(ctx, id, draft, creator)
  const activity = {
    action: 'api_key.created',
    targets: [targetOf(API_KEY, { id, name: draft.name })],
    after: draft,
  }
  const stored = await insertRecorded(ctx, CREATE, row, activity, { last: true })
  return { ...(stored as ApiKeyRow), key }
}

const COUNTS = scoped(
  'api_keys.usage',
  `select day::text as date, operation, requests, errors from api_key_usage
   where tenant_id = $1 and environment = $2 and key_id = $3::text
     and day >= $4::date and day <= $5::date
   order by day, operation`,
)

/** The key's usage on every day that the window touches. */
export async function readUsage(ctx: Context, key_id: string, window: Window): Promise<Usage> {
  const days = daysIn(window)
  const counts = await sql<Count>(ctx, COUNTS, [key_id, days.at(0), days.at(-1)])
  return { days: usageByDay(days, counts) }
}
