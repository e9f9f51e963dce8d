/** The SQL of answers in chats. */
import type { ModelMessage } from '../../../connectors/model.ts'
import type { PinnedSkill } from '../../../connectors/skills.ts'
import { type DatabaseContext, db, ownKey, scoped, sql } from '../../../db/db.ts'
import { insert, insertOf } from '../../../db/query/insert.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import { newId } from '../../../lib/ids.ts'
import type { Row } from '../../../schema/models.ts'
import { escalates, joinAgent } from '../../agents/index.ts'
import { joinEndUser } from '../../end-users/index.ts'
import { CREDITS_PER_CALL } from '../../executions/index.ts'
import { skillsOf } from '../../skills/index.ts'
import type { ChannelRow } from '../channel.ts'
import { SEND_ANSWER } from '../declared.ts'
import { spoken } from './message-queries.ts'

type Agent = Row<'Agent'>

/** A message that waits for its answer, with its channel and the agent that answers. */
export interface Chat
  extends Pick<ChannelRow, 'agent_id' | 'audience'>,
    Pick<Agent, 'autonomy_type' | 'agent_settings' | 'toolbox' | 'integrations'> {
  message_id: string
  channel_id: string
  conversation_id: string
  channel_status: ChannelRow['status']
  transport: ChannelRow['transport']
  agent_name: string
  agent_state: Agent['state']
  /** The end user's company in the PSA. null: a technician wrote, or the end user is not known any more. */
  psa_company_id: string | null
  /** The end user in the PSA; null likewise. */
  psa_contact_id: string | null
  /** True if an enabled escalation policy acts when the agent hands the conversation to people. */
  escalates: boolean
  /** The skills that the agent has when the answer begins. */
  skills: readonly PinnedSkill[]
}

const READ = scoped(
  'channels.chat',
  `select m.id as message_id, m.channel_id, m.conversation_id, h.agent_id, h.audience,
     h.status as channel_status, h.transport, a.name as agent_name, a.state as agent_state, a.autonomy_type,
     a.agent_settings, a.toolbox, a.integrations, c.psa_company_id,
     case when c.psa_company_id is not null then u.psa_contact_id end as psa_contact_id,
     ${escalates('h')} as escalates, ${skillsOf('a.id')} as skills
   from channel_message m
   ${joinEndUser('m')}
   join channel h on h.tenant_id = m.tenant_id and h.environment = m.environment and h.id = m.channel_id
   ${joinAgent('h')}
   where m.tenant_id = $1 and m.environment = $2 and m.id = $3 and m.status = 'PENDING' and m.author = 'PERSON'`,
)

/** The message with what its answer needs; null if it does not wait for one. */
export async function readChat(ctx: DatabaseContext, message_id: string): Promise<Chat | null> {
  const [chat] = await sql<Chat>(ctx, READ, [message_id])
  return chat ?? null
}

/** The messages that the model reads, the one to answer included. */
const MESSAGES = 30
const CHARACTERS = 40_000

const HISTORY = scoped(
  'channels.history',
  `select h.author::text as author, h.text from channel_message m
   join channel_message h on h.tenant_id = m.tenant_id and h.environment = m.environment
     and h.channel_id = m.channel_id and h.conversation_id = m.conversation_id
     and (h.created_at, h.id) <= (m.created_at, m.id)
   where m.tenant_id = $1 and m.environment = $2 and m.id = $3
   order by h.created_at desc, h.id desc limit ${MESSAGES}`,
)

/** The messages of the conversation up to this one, the oldest first, as many as the model is to read. */
export async function historyOf(ctx: DatabaseContext, { message_id }: Chat): Promise<ModelMessage[]> {
  const rows = await sql<{ author: 'PERSON' | 'AGENT'; text: string }>(ctx, HISTORY, [message_id])
  let left = CHARACTERS
  const read = rows.filter(({ text }, index) => {
    left -= text.length
    return index === 0 || left >= 0
  })
  return read
    .toReversed()
    .map(({ author, text }) =>
      author === 'PERSON' ? { role: 'user', text } : { role: 'assistant', text, calls: [] },
    )
}

const SETTLE = scoped(
  'channels.settle_message',
  `update channel_message m set status = $4::text::message_status, error_code = $5, updated_at = $6::timestamptz
   where m.tenant_id = $1 and m.environment = $2 and m.id = $3 and m.status = 'PENDING'
   returning 1 as settled`,
)

type Settled = { status: 'ANSWERED' | 'SENT'; error_code: null } | { status: 'FAILED'; error_code: string }

/** Moves a message on that is PENDING; false if it is not. */
export async function settleMessage(
  ctx: DatabaseContext & { now: Date },
  message_id: string,
  { status, error_code }: Settled,
): Promise<boolean> {
  return (await sql(ctx, SETTLE, [message_id, status, error_code, ctx.now])).length > 0
}

const CHARGE = insertOf('channels.charge', 'CreditEntry', { columns: ['id', 'agent_id', 'at', 'credits'] })

// Contract silent: an answer costs one credit, and one more for each tool call that did its work for it, as in executions.
const CREDITS_PER_ANSWER = 1

/** Stores the answer and its credits, and the job that sends it, in the transaction that settles the message. */
export async function storeAnswer(
  ctx: UnboundJobContext,
  { message_id, channel_id, conversation_id, agent_id, transport }: Chat,
  text: string,
  calls: number,
): Promise<void> {
  const id = newId('msg')
  // The page of a chat on the web fetches its answers.
  const is_sent = transport === 'WEB_CHAT'
  const status = is_sent ? 'SENT' : 'PENDING'
  await db(ctx).channelMessage.create({
    data: {
      ...ownKey(ctx, { id }),
      channel_id,
      conversation_id,
      author: 'AGENT',
      text,
      status,
      reply_to_message_id: message_id,
      created_at: ctx.now,
      updated_at: ctx.now,
    },
  })
  if (!is_sent) await enqueue(ctx, SEND_ANSWER, { message_id: id })
  const credits = CREDITS_PER_ANSWER + calls * CREDITS_PER_CALL
  await insert(ctx, CHARGE, { id: newId('crd'), agent_id, at: ctx.now, credits })
  await spoken(ctx, channel_id)
}
