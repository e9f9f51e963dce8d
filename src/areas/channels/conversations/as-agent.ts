/** Messages that agents do not write themselves, and that stand in their name. */
import { db, ownKey } from '../../../db/db.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { redact } from '../../../gateway/redact.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import { newId } from '../../../lib/ids.ts'
import type { ChannelRow } from '../channel.ts'
import { SEND_ANSWER } from '../declared.ts'
import { spoken } from './message-queries.ts'

export type TellingContext = MutationContext & { services: Pick<Services, 'jobs' | 'environment'> }

export interface Written {
  message_id: string
  /** True if nothing more is to be done: the page of a chat on the web fetches the message. */
  is_sent: boolean
}

/** Writes the text into the conversation, in the transaction, with the job that sends it. */
export async function writeAsAgent(
  ctx: TellingContext,
  { id: channel_id, transport }: Pick<ChannelRow, 'id' | 'transport'>,
  conversation_id: string,
  text: string,
): Promise<Written> {
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
  return { message_id, is_sent }
}
