/** The SQL of API keys, and how changes reach them. */
import {
  hashSecret,
  lastFourOf,
  newSecret,
  pepperId,
  prefixOf,
} from '../../access/credentials/api-key-secret.ts'
import { scoped, sql, tenancyOf } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context, MutationContext } from '../../gateway/context.ts'
import { searchable } from '../../lib/like-pattern.ts'
import type { Window } from '../../lib/window.ts'
import { changeableColumns, updateOf } from '../../schema/changes/row-update.ts'
import { searchFor } from '../../schema/lists/list.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { ApiKey, type ApiKeyRow, ApiKeyStatus, type IssuedKey, keyEtag } from './api-key.ts'
import { eventsOfChange } from './events.ts'
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

/** 409 for a key whose state blocks the change. */
function stateRefusal(key: ApiKeyRow, status: Status): ApiError {
  const { replaced_by_key_id } = key
  return status === 'SUNSETTING'
    ? new ApiError('api_key_already_rotated', { details: { status, replaced_by_key_id } })
    : new ApiError('api_key_not_active', { details: { status } })
}

const UNREAD = ['key_hash', 'pepper_id', 'of_service', 'created_by_user_id', 'expiry_told_at'] as const

export const API_KEY = defineTable<ApiKeyRow, Status>()('ApiKey', {
  alias: 'k',
  noun: 'api_key',
  type: ApiKey,
  argument: 'key_id',
  description: 'The id of the key.',
  not_found: 'api_key_not_found',
  etag: keyEtag,
  unread: UNREAD,
  events: eventsOfChange,
  state: { of: statusOf, refusal: stateRefusal },
  // A rotation stores the old key and its activity in one statement.
  write: updateOf('ApiKey', { key: ['id'], columns: changeableColumns('ApiKey', ['id', ...UNREAD]) }),
})

/** The keys of the environment. Those that no longer work stay listed. */
export const API_KEYS = API_KEY.list({
  name: 'api_keys',
  parameters: { now: (ctx) => ctx.now },
  filters: {
    status: {
      type: [ApiKeyStatus],
      min_items: 1,
      description: 'Only keys in one of these states: separated by commas, or repeated.',
      where: `${statusSql('$now')} = any(array(select unnest(?::text[])))`,
    },
    search: searchFor(
      searchable(`concat_ws(e'\\n', k.name, k.description, k.prefix)`),
      'Only keys with this in their name, description or `prefix`.',
    ),
  },
})

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
  return { ...(await API_KEY.insert(ctx, row)), key }
}

/** Stores a key of the creator; 409 if its name is taken or there are too many. */
export async function createKey(
  ctx: MutationContext,
  id: string,
  draft: KeyDraft,
  creator: Creator,
): Promise<IssuedKey> {
  // Names are unique among the ACTIVE keys alone, which no index tells.
  await API_KEY.serialise(ctx)
  await checkNameIsFree(ctx, draft.name, null)
  const { key, row } = newKey(ctx, id, draft, creator)
  return { ...(await API_KEY.create(ctx, row)), key }
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
