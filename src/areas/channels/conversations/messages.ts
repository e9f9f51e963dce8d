/** The messages of chats: a person's is stored and answered by a job; the answer is read afterwards. */

import { scope } from '../../../access/policies/policies.ts'
import { builder } from '../../../schema/builder.ts'
import { listOperation } from '../../../schema/lists/list-operation.ts'
import { area } from '../area.ts'
import { CHANNEL, checkIsSeen } from '../queries.ts'
import { ChannelMessage } from './message.ts'
import { CHANNEL_MESSAGES } from './message-queries.ts'
import { postMessage } from './post.ts'

listOperation(area, 'channel_messages', CHANNEL_MESSAGES, {
  of: ChannelMessage,
  description: 'Lists the messages of a channel, people’s and the agent’s, the latest first.',
  rest: { method: 'GET', path: '/channels/{channel_id}/messages' },
  access: scope('channels:read'),
  errors: ['channel_not_found'],
  check: (ctx, { channel_id }) => checkIsSeen(ctx, String(channel_id)),
})

const MessageSenderInput = builder.inputType('MessageSenderInput', {
  description: 'The person who wrote the message: by one of these.',
  fields: (t) => ({
    workplace_user_id: t.id({
      min_length: 1,
      max_length: 255,
      nullable: true,
      description:
        'Their id in the workplace suite. On a channel for END_USERS it must be that of an ACTIVE end user.',
    }),
    end_user_id: t.id({
      min_length: 1,
      max_length: 200,
      nullable: true,
      description: 'The `id` of an ACTIVE end user. Only on a channel for END_USERS.',
    }),
  }),
})

const ChannelMessageDraft = builder.inputType('ChannelMessageDraft', {
  description: 'A message that somebody wrote.',
  fields: (t) => ({
    conversation_id: t.id({
      required: true,
      min_length: 1,
      max_length: 200,
      description:
        'The chat platform’s id of the conversation. The first message begins it; on a channel for END_USERS it ' +
        'is the conversation of one person.',
    }),
    sender: t.field({ type: MessageSenderInput, required: true, description: 'The person who wrote it.' }),
    text: t.string({ required: true, min_length: 1, max_length: 8000, description: 'The text.' }),
  }),
})

area.mutation('post_channel_message', (t) =>
  t.field({
    type: ChannelMessage,
    description:
      'Stores a message that somebody wrote on a channel, as the chat platform delivers it. It is PENDING: the agent ' +
      'answers afterwards, the message is ANSWERED then, and `GET /channels/{channel_id}/messages` has the answer. A ' +
      'platform that delivers a message again sends the same `Idempotency-Key`. The agent reads, and changes nothing.',
    rest: { method: 'POST', path: '/channels/{channel_id}/messages' },
    access: scope('channels:write'),
    errors: [
      'channel_not_found',
      'channel_not_active',
      'agent_not_conversational',
      'agent_not_active',
      'model_not_configured',
      'subscription_inactive',
      'credits_exhausted',
    ],
    args: { channel_id: t.arg(CHANNEL.key), input: t.arg({ type: ChannelMessageDraft, required: true }) },
    resolve: (_root, { channel_id, input }, ctx) => postMessage(ctx, channel_id, input),
  }),
)
