/** The changes of items by their user: read, unread, put away. */
import { people } from '../../access/policies/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { ApiError } from '../../errors/errors.ts'
import { record } from '../../gateway/activity.ts'
import { builder } from '../../schema/builder.ts'
import { unchanged } from '../../schema/changes/mutation.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { ITEM, openOfCause, readAll, userOf } from './queries.ts'

const writers = people('inbox:write')

const items = onTable(area, ITEM)

items.change('mark_inbox_item_read', {
  description:
    'Marks an item of the caller’s inbox as read. One that is READ or ARCHIVED already is answered as it is.',
  rest: { method: 'POST', path: '/inbox/{item_id}/read' },
  access: writers,
  change: (ctx) => ({
    verb: 'read',
    // Contract silent: an ARCHIVED item stays where it is, so that a client that shows it does not bring it back.
    decide: ({ state }) => (state === 'UNREAD' ? { state: 'READ', read_at: ctx.now } : {}),
  }),
})

items.change('mark_inbox_item_unread', {
  description:
    'Marks an item of the caller’s inbox as unread. This brings an ARCHIVED item back, unless another open item has its ' +
    'cause by now.',
  rest: { method: 'POST', path: '/inbox/{item_id}/unread' },
  access: writers,
  errors: ['inbox_item_superseded'],
  change: (ctx) => ({
    verb: 'marked_unread',
    decide: ({ state }) => (state === 'UNREAD' ? {} : { state: 'UNREAD', unread_at: ctx.now }),
    async beforeWrite(item) {
      if (item.state !== 'ARCHIVED' || item.resolved) return
      // Contract silent: one cause has one open item, so that the newer one stays and the ARCHIVED one too.
      const item_id = await openOfCause(ctx, item)
      if (item_id !== null) throw new ApiError('inbox_item_superseded', { details: { item_id } })
    },
  }),
})

items.change('archive_inbox_item', {
  description:
    'Puts an item of the caller’s inbox away. What happens again makes a new item, and does not join this one.',
  rest: { method: 'POST', path: '/inbox/{item_id}/archive' },
  access: writers,
  change: () => ({ verb: 'archived', decide: () => ({ state: 'ARCHIVED' }) }),
})

const InboxReading = builder.inputType('InboxReading', {
  description: 'The items to mark as read.',
  fields: (t) => ({
    before: t.field({
      type: 'DateTime',
      description:
        'Only items that last changed before this instant, such as the one at which the caller listed them. ' +
        'All of them if it is left out.',
    }),
  }),
})

const InboxRead = builder.objectRef<{ updated: number }>('InboxRead').implement({
  description: 'The number of items that were marked as read.',
  fields: (t) => ({
    updated: t.exposeInt('updated', { description: 'The items that were UNREAD, and are READ now.' }),
  }),
})

area.mutation('read_all_inbox', (t) =>
  t.field({
    type: InboxRead,
    description:
      'Marks the UNREAD items of the caller’s inbox as read: all of them, or those that changed before.',
    rest: { method: 'POST', path: '/inbox/read-all' },
    access: writers,
    args: { input: t.arg({ type: InboxReading, description: 'May be left out.' }) },
    resolve: async (_root, { input }, ctx) => {
      const user_id = userOf(ctx)
      const before = input?.before ?? null
      const updated = await readAll(ctx, user_id, before)
      if (updated === 0) return unchanged(ctx, { updated })
      const targets = [{ type: 'user', id: user_id, name: callerOf(ctx).person?.name ?? user_id }]
      await record(ctx, { action: 'inbox.read', targets, after: { updated, before } }, { last: true })
      return { updated }
    },
  }),
)
