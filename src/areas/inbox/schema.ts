import { people } from '../../access/policies/policies.ts'
import { builder } from '../../schema/builder.ts'
import { AFTER, follow } from '../../schema/live/live.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import './change.ts'
import './preferences.ts'
import { InboxKind } from './inbox-item.ts'
import { type Counts, countItems, ITEM, ITEMS, userOf } from './queries.ts'
import { INBOX_EVENTS, InboxUpdate } from './updates.ts'

const readers = people('inbox:read')

const items = onTable(area, ITEM)

items.list('inbox', ITEMS, {
  description:
    'Lists the items of the caller’s inbox. Those that ask for something and are not resolved come first, then the ' +
    'others; of each, what happened last comes first.',
  rest: { method: 'GET', path: '/inbox' },
  access: readers,
})

const InboxKindCount = builder.objectRef<Counts['by_kind'][number]>('InboxKindCount').implement({
  description: 'A kind of items, and how many of it are UNREAD.',
  fields: (t) => ({
    kind: t.expose('kind', { type: InboxKind, description: 'The kind.' }),
    unread: t.exposeInt('unread', { description: 'Its UNREAD items.' }),
  }),
})

const InboxCounts = builder.objectRef<Counts>('InboxCounts').implement({
  description: 'The numbers of items in an inbox.',
  fields: (t) => ({
    unread: t.exposeInt('unread', { description: 'The UNREAD items.' }),
    action_required: t.exposeInt('action_required', {
      description: 'The items that ask for something, and are neither resolved nor ARCHIVED, READ or not.',
    }),
    by_kind: t.expose('by_kind', {
      type: [InboxKindCount],
      max_items: 20,
      description: 'The kinds that have UNREAD items.',
    }),
  }),
})

area.query('inbox_counts', (t) =>
  t.field({
    type: InboxCounts,
    description: 'Counts the items of the caller’s inbox.',
    rest: { method: 'GET', path: '/inbox/counts' },
    access: readers,
    resolve: (_root, _args, ctx) => countItems(ctx, userOf(ctx)),
  }),
)

items.read('inbox_item', {
  description:
    'Gets an item of the caller’s inbox. An item of anybody else is answered as one that does not exist.',
  rest: { method: 'GET', path: '/inbox/{item_id}' },
  access: readers,
})

area.subscription('inbox_updates', (t) =>
  t.field({
    type: InboxUpdate,
    description: 'Tells of items of the caller’s inbox that are new or change.',
    access: readers,
    errors: ['invalid_cursor'],
    args: { after: t.arg(AFTER) },
    // The user is a part of the cursor: nobody goes on after the update of somebody else.
    subscribe: (_root, args, ctx) =>
      follow(ctx, 'inbox_updates', INBOX_EVENTS, { ...args, user_id: userOf(ctx) }),
    resolve: (update) => update,
  }),
)
