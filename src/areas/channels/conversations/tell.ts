/** Messages that the service itself writes to technicians on their channels. */
import { type DatabaseContext, scoped, sql } from '../../../db/db.ts'
import type { ChannelRow } from '../channel.ts'
import { type TellingContext, writeAsAgent } from './as-agent.ts'
import { joinConversation } from './message-queries.ts'

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
  ctx: TellingContext,
  ids: readonly string[],
  conversation_id: string,
  text: string,
): Promise<Posted[]> {
  const channels = (await techniciansChannels(ctx, ids)).filter(({ status }) => status === 'ACTIVE')
  const posted: Posted[] = []
  for (const channel of channels) {
    const { id: channel_id, name } = channel
    await joinConversation(ctx, { channel_id, id: conversation_id, end_user_id: null })
    const { message_id } = await writeAsAgent(ctx, channel, conversation_id, text)
    posted.push({ channel_id, name, message_id })
  }
  return posted
}
