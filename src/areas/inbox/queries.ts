/** The table of items, the list of an inbox, and what is counted and changed in one statement. */
import { callerOf, personIdOf } from '../../access/viewer.ts'
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { descending } from '../../db/query/keyset.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context, MutationContext } from '../../gateway/context.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { namedAgents } from '../agents/index.ts'
import { InboxItem, type InboxItemRow, inboxItemEtag, TAGGED } from './inbox-item.ts'

/** The user whose inbox it is. */
export function userOf(ctx: Context): string {
  const id = personIdOf(callerOf(ctx))
  if (id === null) throw new ApiError('acting_user_required')
  return id
}

/** Items are seen by their user alone, whatever the role of others. */
export const ITEM = defineTable<InboxItemRow>()('InboxItem', {
  alias: 'i',
  noun: 'inbox_item',
  type: InboxItem,
  argument: 'item_id',
  description: 'The id of the item.',
  not_found: 'inbox_item_not_found',
  title: ({ kind }) => kind,
  etag: inboxItemEtag,
  where: 'i.user_id = $user::text',
  parameters: { user: userOf },
  constant: ['user_id', 'kind', 'cause', 'severity', 'title', 'body', 'subject_type', 'subject_id'],
  unread: ['mail_asked_at', 'mail_began_at', 'unread_due_at', 'waits_on', 'over_at'],
  // Contract silent: an item names its agents to a user who does not see them, as a request to technicians does.
  computed: { affected_agents: namedAgents('i', 'affected_agent_ids') },
  tagged: TAGGED,
  // Changes of a state are recorded without the text, which is the user's.
  recorded: ({ id, kind, state, read_at }) => ({ id, kind, state, read_at }),
})

const FACETS = { state: 'i.state', kind: 'i.kind', severity: 'i.severity' }

const NOT_ARCHIVED = `i.state <> 'ARCHIVED'`

const UNLESS_ARCHIVED = ' Those that are UNREAD or READ if it is left out.'

/** The items of the caller: those that ask for something come first, then those that happened last. */
export const ITEMS = ITEM.list({
  name: 'inbox',
  order: [descending('list_rank', 'int'), descending('last_at', 'timestamptz'), descending('id', 'text')],
  facets: FACETS,
  filters: {
    state: {
      ...ITEM.by.isOneOf('state', 'Only items in one of these states', 'facet', UNLESS_ARCHIVED),
      // The index of the list has them, unless another filter asks for facets.
      otherwise: { text: NOT_ARCHIVED, facet: NOT_ARCHIVED, is_usual: true },
    },
    kind: ITEM.by.isOneOf('kind', 'Only items of one of these kinds', 'facet'),
    severity: ITEM.by.isOneOf('severity', 'Only items with one of these severities', 'facet'),
  },
})

export interface Counts {
  unread: number
  action_required: number
  by_kind: { kind: InboxItemRow['kind']; unread: number }[]
}

const COUNTS = scoped(
  'inbox.counts',
  `select coalesce(sum(k.unread), 0)::int as unread,
     (select count(*)::int from inbox_item i where i.tenant_id = $1 and i.environment = $2 and i.user_id = $3
        and i.list_rank = 1 and ${NOT_ARCHIVED}) as actions,
     coalesce(jsonb_agg(jsonb_build_object('kind', k.kind, 'unread', k.unread) order by k.kind), '[]') as by_kind
   from (select i.kind, count(*)::int as unread from inbox_item i
         where i.tenant_id = $1 and i.environment = $2 and i.user_id = $3 and i.state = 'UNREAD'
         group by i.kind) k`,
)

/** The numbers of the user’s items. */
export async function countItems(ctx: DatabaseContext, user_id: string): Promise<Counts> {
  type Counted = Omit<Counts, 'action_required'> & { actions: number }
  const [counts] = await sql<Counted>(ctx, COUNTS, [user_id])
  const { unread = 0, actions = 0, by_kind = [] } = counts ?? {}
  return { unread, action_required: actions, by_kind }
}

// An item that is changed at this moment is left as it is, so that no two wait for each other.
const READ_ALL = scoped(
  'inbox.read_all',
  `with unread as (
     select i.id from inbox_item i
     where i.tenant_id = $1 and i.environment = $2 and i.user_id = $3 and i.state = 'UNREAD'
       and ($5::timestamptz is null or i.updated_at < $5::timestamptz)
     order by i.id for update skip locked
   ), changed as (
     update inbox_item i set state = 'READ', read_at = $4::timestamptz, updated_at = $4::timestamptz,
       revision = i.revision + 1
     from unread u where i.tenant_id = $1 and i.environment = $2 and i.user_id = $3 and i.state = 'UNREAD'
       and i.id = u.id
     returning i.id
   )
   select count(*)::int as updated from changed`,
)

/** Marks the user’s UNREAD items READ: those that last changed before the instant, or all. Their number. */
export async function readAll(ctx: MutationContext, user_id: string, before: Date | null): Promise<number> {
  const [row] = await sql<{ updated: number }>(ctx, READ_ALL, [user_id, ctx.now, before])
  return row?.updated ?? 0
}

const OPEN_OF_CAUSE = scoped(
  'inbox.open_of_cause',
  `select i.id from inbox_item i
   where i.tenant_id = $1 and i.environment = $2 and i.user_id = $3 and i.kind = $4::inbox_kind and i.cause = $5
     and not i.resolved and i.state <> 'ARCHIVED' and i.id <> $6`,
)

/** The id of the user’s other item that the cause joins; null if there is none. */
export async function openOfCause(
  ctx: DatabaseContext,
  { user_id, kind, cause, id }: InboxItemRow,
): Promise<string | null> {
  const [row] = await sql<{ id: string }>(ctx, OPEN_OF_CAUSE, [user_id, kind, cause, id])
  return row?.id ?? null
}
