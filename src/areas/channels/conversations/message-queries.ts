/** The SQL of messages. */

import { type DatabaseContext, scoped, sql } from '../../../db/db.ts'
import { insert, insertOf } from '../../../db/query/insert.ts'
import { descending } from '../../../db/query/keyset.ts'
import { projection } from '../../../db/query/projection.ts'
import { filtersOf } from '../../../schema/lists/column-filters.ts'
import { defineList } from '../../../schema/lists/list.ts'
import { CHANNEL } from '../queries.ts'
import type { MessageRow } from './message.ts'

const by = filtersOf('ChannelMessage', 'm')

/** The messages of one channel. The caller must see the channel. */
export const CHANNEL_MESSAGES = defineList<MessageRow>()({
  name: 'channel_messages',
  from: 'channel_message m',
  columns: projection('ChannelMessage', 'm', { always: ['id'] }),
  order: [descending('created_at', 'timestamptz'), descending('id', 'text')],
  filters: {
    channel_id: { ...CHANNEL.key, where: 'm.channel_id = ?::text' },
    conversation_id: by.is('conversation_id', 'Only messages of this conversation.'),
  },
})

// The update changes nothing: it waits for a conversation that begins at the same time, and answers with its person.
const CONVERSATION = insertOf('channels.conversation', 'ChannelConversation', {
  columns: ['channel_id', 'id', 'end_user_id', 'created_at'],
  on_conflict: { key: ['channel_id', 'id'], replace: ['id'] },
  returning: ['end_user_id'],
})

interface Conversation {
  channel_id: string
  id: string
  end_user_id: string | null
}

/** Begins the conversation if it is new; false if it is another person's. */
export async function joinConversation(
  ctx: DatabaseContext & { now: Date },
  { channel_id, id, end_user_id }: Conversation,
): Promise<boolean> {
  const stored = await insert(ctx, CONVERSATION, { channel_id, id, end_user_id, created_at: ctx.now })
  return stored?.end_user_id === end_user_id
}

const SPOKEN = scoped(
  'channels.spoken',
  `update channel c set last_message_at = $4::timestamptz
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3`,
)

/** Notes that something was said on the channel. */
export async function spoken(ctx: DatabaseContext & { now: Date }, channel_id: string): Promise<void> {
  await sql(ctx, SPOKEN, [channel_id, ctx.now])
}
