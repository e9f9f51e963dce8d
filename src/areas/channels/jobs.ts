/** The jobs of channels. */
import { tenantJob } from '../../jobs/job.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { answerMessage } from './answer.ts'
import { ANSWER_MESSAGE, SEND_ANSWER } from './declared.ts'
import { ATTEMPTS, sendAnswer } from './send.ts'

/** Answers a message of a chat. */
export const answerChannelMessage = tenantJob({
  name: ANSWER_MESSAGE.name,
  payload: ANSWER_MESSAGE.payload,
  transaction: false,
  timeout_seconds: 150,
  concurrency: 5,
  handler: (ctx, { message_id }) => answerMessage(ctx, message_id),
})

/** Sends an answer to the chat of its channel. */
export const sendChannelAnswer = tenantJob({
  name: SEND_ANSWER.name,
  payload: SEND_ANSWER.payload,
  transaction: false,
  waits: true,
  retries: ATTEMPTS - 1,
  concurrency: 5,
  handler: (ctx, { message_id }) => sendAnswer(ctx, message_id),
})

// Contract silent: what was said in chats is kept as long as executions are.
/** Deletes the messages that are no longer kept. */
export const deleteOldMessages = retentionJob({
  name: 'channels.delete_old_messages',
  table: 'channel_message',
  time: 'created_at',
  days: 400,
})
