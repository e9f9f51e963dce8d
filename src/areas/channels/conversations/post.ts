/** Takes a message that somebody wrote on a channel. */
import { checkModel } from '../../../connectors/model.ts'
import { db, ownKey } from '../../../db/db.ts'
import { ApiError, bodyProblem, invalid } from '../../../errors/errors.ts'
import { record } from '../../../gateway/activity.ts'
import type { Context } from '../../../gateway/context.ts'
import { redact } from '../../../gateway/redact.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import { newId } from '../../../lib/ids.ts'
import { targetOf } from '../../../schema/changes/change.ts'
import { checkSubscription, readTerms } from '../../billing/index.ts'
import { endUserBy } from '../../end-users/index.ts'
import type { ChannelRow } from '../channel.ts'
import { ANSWER_MESSAGE } from '../declared.ts'
import { answeringAgent, CHANNEL, checkAnswers, checkIsAgentOf } from '../queries.ts'
import { senderProblems } from '../rules.ts'
import type { MessageRow } from './message.ts'
import { joinConversation, spoken } from './message-queries.ts'

interface Draft {
  conversation_id: string
  sender: { workplace_user_id?: string | null | undefined; end_user_id?: string | null | undefined }
  text: string
}

type Sender = Pick<MessageRow, 'workplace_user_id' | 'end_user_id'>

/** The person who wrote; 422 if the channel is not for them. */
async function senderOf(ctx: Context, { audience }: ChannelRow, { sender }: Draft): Promise<Sender> {
  const { workplace_user_id = null, end_user_id = null } = sender
  const problems = senderProblems(audience, { workplace_user_id, end_user_id })
  if (problems.length > 0) throw invalid(problems)
  // Contract silent: the chat platform vouches for the technicians of the workspace that the MSP has bound.
  if (audience === 'TECHNICIANS') return { workplace_user_id, end_user_id }
  const end_user = await endUserBy(ctx, { workplace_user_id, end_user_id })
  if (end_user)
    return { workplace_user_id: workplace_user_id ?? end_user.workplace_user_id, end_user_id: end_user.id }
  const field = end_user_id === null ? 'sender.workplace_user_id' : 'sender.end_user_id'
  throw invalid([bodyProblem(field, 'unknown', 'is of no active end user')])
}

/**
 * Stores the message, and the job that answers it. The checks come in this order: the channel, its agent, the model, the
 * sender, the subscription.
 */
export async function postMessage(ctx: Context, channel_id: string, draft: Draft): Promise<MessageRow> {
  const agent = await answeringAgent(ctx, channel_id)
  const channel = await CHANNEL.lock(ctx, channel_id)
  checkIsAgentOf(channel, agent)
  if (channel.status !== 'ACTIVE')
    throw new ApiError('channel_not_active', { details: { current_status: channel.status } })
  checkAnswers(agent)
  checkModel(ctx, agent)
  const { workplace_user_id, end_user_id } = await senderOf(ctx, channel, draft)
  const { conversation_id, text } = draft
  // Contract silent: what one end user and the agent said is for no other one to go on with.
  if (!(await joinConversation(ctx, { channel_id, id: conversation_id, end_user_id })))
    throw invalid([bodyProblem('conversation_id', 'other_person', 'is a conversation of another person')])
  await checkSubscription(ctx, await readTerms(ctx))
  await spoken(ctx, channel_id)
  const id = newId('msg')
  await enqueue(ctx, ANSWER_MESSAGE, { message_id: id })
  const data = {
    ...ownKey(ctx, { id }),
    channel_id,
    conversation_id,
    author: 'PERSON',
    workplace_user_id,
    end_user_id,
    text: redact(text) as string,
    status: 'PENDING',
    created_at: ctx.now,
    updated_at: ctx.now,
  } as const
  const message = await db(ctx).channelMessage.create({ data })
  const activity = {
    action: 'channel_message.posted',
    targets: [targetOf(CHANNEL, channel)],
    // The text is read in the chat alone.
    after: { message_id: id, conversation_id, workplace_user_id, end_user_id },
  }
  await record(ctx, activity, { last: true })
  return message
}
