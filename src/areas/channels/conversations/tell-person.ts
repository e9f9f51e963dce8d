/** Messages that somebody of the MSP writes to one person in the conversation that the person has with a channel’s agent. */
import { scoped, sql } from '../../../db/db.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { ChannelRow } from '../channel.ts'
import { SEND_ANSWER } from '../declared.ts'
import { CHANNEL } from '../queries.ts'
import { type Written, writeAsAgent } from './as-agent.ts'

type TellingChannel = Pick<ChannelRow, 'id' | 'agent_id' | 'transport'>

/** The channel, locked: 409 if it is not ACTIVE; null: the caller sees no such channel. */
export async function tellingChannel(ctx: Context, id: string): Promise<TellingChannel | null> {
  const channel = await CHANNEL.lock(ctx, id).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === CHANNEL.not_found) return null
    throw error
  })
  if (channel && channel.status !== 'ACTIVE')
    throw new ApiError('channel_not_active', { details: { current_status: channel.status } })
  return channel
}

// Joined by a lateral subquery: the latest message of each of the person's few conversations is one index probe.
const LATEST = scoped(
  'channels.latest_of_person',
  `select c.id from channel_conversation c
   left join lateral (
     select m.created_at from channel_message m
     where m.tenant_id = c.tenant_id and m.environment = c.environment and m.channel_id = c.channel_id
       and m.conversation_id = c.id
     order by m.created_at desc, m.id desc limit 1
   ) said on true
   where c.tenant_id = $1 and c.environment = $2 and c.channel_id = $3::text and c.end_user_id = $4::text
   order by coalesce(said.created_at, c.created_at) desc, c.id limit 1`,
)

interface Posted extends Written {
  conversation_id: string
}

/** Writes the text to the end user’s latest conversation on the channel, in the transaction; null: there is none. */
export async function postToPerson(
  ctx: Context,
  channel: TellingChannel,
  end_user_id: string,
  text: string,
): Promise<Posted | null> {
  const [conversation] = await sql<{ id: string }>(ctx, LATEST, [channel.id, end_user_id])
  if (!conversation) return null
  const written = await writeAsAgent(ctx, channel, conversation.id, text)
  return { ...written, conversation_id: conversation.id }
}

const AGAIN = scoped(
  'channels.post_again',
  `update channel_message m set status = 'PENDING', error_code = null, updated_at = $4::timestamptz
   where m.tenant_id = $1 and m.environment = $2 and m.id = $3::text and m.author = 'AGENT'
     and m.reply_to_message_id is null and m.status = 'FAILED'
   returning 1 as again`,
)

/** Sends a message that could not be sent again, under its id: a chat that has it posts nothing. False: there is none. */
export async function postAgain(ctx: Context, message_id: string): Promise<boolean> {
  if ((await sql(ctx, AGAIN, [message_id, ctx.now])).length === 0) return false
  await enqueue(ctx, SEND_ANSWER, { message_id })
  return true
}
