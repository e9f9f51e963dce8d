/** The SQL of messages. */
import { type DatabaseContext, scoped, scopedInsert, sql } from '../../db/db.ts'
import { descending } from '../../db/keyset.ts'
import { projection } from '../../db/projection.ts'
import { recordedWrite } from '../../gateway/activity.ts'
import { defineList } from '../../schema/list.ts'
import { channelId } from './channel.ts'
import type { MessageRow } from './message.ts'

const columns = projection('ChannelMessage', 'm', {
  always: ['id', 'channel_id', 'author', 'workplace_user_id', 'end_user_id'],
})

/** The messages of one channel. The caller must see the channel. */
export const CHANNEL_MESSAGES = defineList<MessageRow>()({
  name: 'channel_messages',
  from: 'channel_message m',
  columns,
  order: [descending('created_at', 'timestamptz'), descending('id', 'text')],
  filters: {
    channel_id: { ...channelId, where: 'm.channel_id = ?::text' },
    conversation_id: {
      type: 'ID',
      description: 'Only messages of this conversation.',
      where: 'm.conversation_id = ?::text',
    },
  },
})

// The update changes nothing: it waits for a conversation that begins at the same time, and answers with its person.
const CONVERSATION = scopedInsert(
  'channels.conversation',
  `insert into channel_conversation (tenant_id, environment, channel_id, id, end_user_id, created_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (tenant_id, environment, channel_id, id) do update set id = excluded.id
   returning end_user_id`,
)

interface Conversation {
  channel_id: string
  id: string
  end_user_id: string | null
}

/** Begins the conversation where it is new; false where it is another person's. */
export async function joinConversation(
  ctx: DatabaseContext & { now: Date },
  { channel_id, id, end_user_id }: Conversation,
): Promise<boolean> {
  const [stored] = await sql<Conversation>(ctx, CONVERSATION, [channel_id, id, end_user_id, ctx.now])
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

export const POST = recordedWrite(
  'channels.post_message',
  `insert into channel_message (tenant_id, environment, id, channel_id, conversation_id, author, workplace_user_id,
     end_user_id, text, status, created_at, updated_at)
   values ($1, $2, $3, $4, $5, 'PERSON', $6, $7, $8, 'PENDING', $9, $9)
   returning ${projection('ChannelMessage', 'channel_message', { always: ['id'] }).select(null)}`,
)
