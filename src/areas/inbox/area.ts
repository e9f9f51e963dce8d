import { defineArea } from '../../schema/builder.ts'

/** The operations of inboxes, and those of messages in `src/areas/comms`. */
export const area = defineArea({
  name: 'Inbox & Comms',
  slug: 'inbox-and-comms',
  description:
    'What each user is to know or to do, and the messages to and from people outside the service. One cause is one item of ' +
    'an inbox, however often it happens, and an item whose subject is settled elsewhere is resolved by itself. Messages ' +
    'are notes of tickets, e-mails and chats, each with what became of it.',
  example: `
query WhatIsNew {
  inbox_counts { unread action_required by_kind { kind unread } }
  inbox(state: UNREAD) {
    items { id kind severity title occurrence_count last_at subject { type id } }
    pagination { next_cursor has_more }
  }
  comms_messages(direction: OUTBOUND) {
    items { id medium status recipient_name subject error sent_at }
  }
}

# mutation Read {
#   mark_inbox_item_read(item_id: "inb_…") { id state read_at }
# }`,
})
