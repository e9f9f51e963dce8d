/** The updates of items, and their subscribers: the users whose items they are. */
import { scoped } from '../../db/db.ts'
import { builder } from '../../schema/builder.ts'
import { type LiveSource, type Update, updateFields } from '../../schema/live/live.ts'
import { wantedFields } from '../../schema/selection.ts'
import { InboxItem, type InboxItemRow, InboxState } from './inbox-item.ts'
import { ITEM } from './queries.ts'

const stateOf = ({ status }: Update) => status as InboxItemRow['state']

export const InboxUpdate = builder.objectRef<Update>('InboxUpdate').implement({
  description: 'An item of the inbox that is new or has changed.',
  fields: (t) =>
    updateFields(t, {
      state: t.field({
        type: InboxState,
        description: 'The state to which the item had come by this update. By now it may be another.',
        resolve: stateOf,
      }),
      item: t.field({
        type: InboxItem,
        description: 'The item as it is now, but with the `state` of the update.',
        resolve: async (update, _args, ctx, info) => ({
          ...(await ITEM.select(ctx, update.entity_id, wantedFields(info))),
          state: stateOf(update),
        }),
      }),
    }),
})

const USERS_OF = scoped(
  'inbox.users_of',
  `select i.id as entity_id, i.user_id as value from inbox_item i
   where i.tenant_id = $1 and i.environment = $2 and i.id in (select unnest($3::text[]))`,
)

/** The events of items. Each subscriber chooses their own ones, since administrators would get those of everybody. */
export const INBOX_EVENTS: LiveSource = {
  kind: 'INBOX_ITEM',
  matches: () => true,
  seen_by: USERS_OF,
  chosen: { by: USERS_OF, value: ({ user_id }) => user_id },
}
