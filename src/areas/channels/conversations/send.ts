/** Sends the answers of agents to the chats of their channels. A channel whose answers cannot be sent is in ERROR. */
import { type ChatChannel, chatOf } from '../../../connectors/chat.ts'
import { PortRefusal } from '../../../connectors/port.ts'
import { type DatabaseContext, scoped, sql } from '../../../db/db.ts'
import { raise } from '../../../db/live/raise.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import { joinAgent } from '../../agents/index.ts'
import type { ChannelRow } from '../channel.ts'
import { channelError } from '../events.ts'
import { FAILED_SENDS, REFUSED } from '../rules.ts'
import { settleMessage } from './queries.ts'

/** Attempts at one answer if the chat cannot be reached. */
export const ATTEMPTS = 3

const WRITE_MS = 15_000

interface Answer extends Pick<ChannelRow, 'transport' | 'workspace_id' | 'status'> {
  channel_id: string
  conversation_id: string
  text: string
  agent_name: string
}

const READ = scoped(
  'channels.answer_to_send',
  `select m.channel_id, m.conversation_id, m.text, c.transport, c.workspace_id, c.status, a.name as agent_name
   from channel_message m
   join channel c on c.tenant_id = m.tenant_id and c.environment = m.environment and c.id = m.channel_id
   ${joinAgent('c')}
   where m.tenant_id = $1 and m.environment = $2 and m.id = $3 and m.author = 'AGENT' and m.status = 'PENDING'`,
)

const SENT = scoped(
  'channels.sent',
  `update channel c set failed_sends = 0
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3 and c.failed_sends > 0`,
)

const NOT_SENT = scoped(
  'channels.not_sent',
  `update channel c set failed_sends = c.failed_sends + 1,
     status = case when c.failed_sends + 1 >= $4::int then 'ERROR' else c.status end,
     status_reason = case when c.failed_sends + 1 >= $4::int then $5::text else c.status_reason end,
     updated_at = case when c.failed_sends + 1 >= $4::int then $6::timestamptz else c.updated_at end
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3 and c.status = 'ACTIVE'
   returning c.id, c.agent_id, c.name, c.transport, c.status, c.status_reason`,
)

/** The channel, as its chat knows it. */
export const chatChannelOf = ({
  id,
  transport,
  workspace_id,
}: Pick<ChannelRow, 'id' | 'transport' | 'workspace_id'>): ChatChannel => ({
  channel_id: id,
  transport,
  workspace_id,
})

type Failure = 'channel_closed' | 'upstream_unavailable'

const REASONS: Readonly<Record<Failure, string>> = {
  channel_closed: REFUSED,
  upstream_unavailable: 'The chat could not be reached, or did not answer in time.',
}

/** null: the chat has taken the answer. Throws if it is to be tried again. */
async function post(ctx: UnboundJobContext, message_id: string, answer: Answer): Promise<Failure | null> {
  const { channel_id, conversation_id, agent_name: author_name, text } = answer
  const channel = chatChannelOf({ ...answer, id: channel_id })
  try {
    await chatOf(ctx).post({ channel, conversation_id, author_name, text }, message_id)
    return null
  } catch (error) {
    if (error instanceof PortRefusal) return 'channel_closed'
    const is_outage = error instanceof ApiError && error.code === 'upstream_unavailable'
    if (!is_outage || ctx.attempt < ATTEMPTS) throw error
    return 'upstream_unavailable'
  }
}

async function count(
  ctx: DatabaseContext & { now: Date },
  channel_id: string,
  failure: Failure | null,
): Promise<void> {
  if (failure === null) return void (await sql(ctx, SENT, [channel_id]))
  const values = [channel_id, FAILED_SENDS, REASONS[failure], ctx.now]
  const counted = await sql<ChannelRow>(ctx, NOT_SENT, values)
  await raise(ctx, counted.filter(({ status }) => status === 'ERROR').map(channelError))
}

/** Sends the answer, and counts those in a row that cannot be sent. One that is no longer PENDING stays as it is. */
export async function sendAnswer(ctx: UnboundJobContext, message_id: string): Promise<void> {
  const [answer] = await sql<Answer>(ctx, READ, [message_id])
  if (!answer) return
  const { channel_id, status } = answer
  // Contract silent: what an agent said before its channel was paused or removed is not sent any more.
  const is_active = status === 'ACTIVE'
  const failure = is_active ? await post(ctx, message_id, answer) : null
  const error_code = is_active ? failure : 'channel_not_active'
  ctx.now = ctx.services.now()
  await inTransaction(ctx, WRITE_MS, async () => {
    const settled = await settleMessage(
      ctx,
      message_id,
      error_code === null ? { status: 'SENT', error_code } : { status: 'FAILED', error_code },
    )
    if (settled && is_active) await count(ctx, channel_id, failure)
  })
}
