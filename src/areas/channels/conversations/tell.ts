/** Messages that the service itself writes to technicians on their channels. */
import { type DatabaseContext, db, ownKey, scoped, sql } from '../../../db/db.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { redact } from '../../../gateway/redact.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import { newId } from '../../../lib/ids.ts'
import type { ChannelRow } from '../channel.ts'
import { SEND_ANSWER } from '../declared.ts'
import { joinConversation, spoken } from './message-queries.ts'

const FOR_TECHNICIANS = scoped(
  'channels.for_technicians',
  `select c.id, c.name, c.transport, c.status from channel c
   where c.tenant_id = $1 and c.environment = $2 and c.id = any($3::text[]) and c.audience = 'TECHNICIANS'
     and c.status <> 'UNINSTALLED'
   order by c.id`,
)

type TechniciansChannel = Pick<ChannelRow, 'id' | 'name' | 'transport' | 'status'>

/** The channels among these that are for technicians and not uninstalled. */
export const techniciansChannels = (
  ctx: DatabaseContext,
  ids: readonly string[],
): Promise<TechniciansChannel[]> => sql<TechniciansChannel>(ctx, FOR_TECHNICIANS, [ids])

interface Posted {
  channel_id: string
  name: string
  message_id: string
}

/**
 * Writes the text to each of the channels that is ACTIVE, as the beginning of a conversation, in the transaction. The chats
 * take it later; the page of a chat on the web fetches it.
 */
export async function postToChannels(
  ctx: MutationContext & { services: Pick<Services, 'jobs' | 'environment'> },
  ids: readonly string[],
  conversation_id: string,
  text: string,
): Promise<Posted[]> {
  const channels = (await techniciansChannels(ctx, ids)).filter(({ status }) => status === 'ACTIVE')
  const posted: Posted[] = []
  for (const { id: channel_id, name, transport } of channels) {
    await joinConversation(ctx, { channel_id, id: conversation_id, end_user_id: null })
    const message_id = newId('msg')
    const is_sent = transport === 'WEB_CHAT'
    await db(ctx).channelMessage.create({
      data: {
        ...ownKey(ctx, { id: message_id }),
        channel_id,
        conversation_id,
        author: 'AGENT',
        text: redact(text) as string,
        status: is_sent ? 'SENT' : 'PENDING',
        created_at: ctx.now,
        updated_at: ctx.now,
      },
    })
    if (!is_sent) await enqueue(ctx, SEND_ANSWER, { message_id })
    await spoken(ctx, channel_id)
    posted.push({ channel_id, name, message_id })
  }
  return posted
}
