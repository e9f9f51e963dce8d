/** The jobs of channels. */
import { tenantJob } from '../../jobs/job.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { answerMessage } from './answer.ts'
import { ANSWER_MESSAGE } from './declared.ts'

/** Answers a message of a chat. */
export const answerChannelMessage = tenantJob({
  name: ANSWER_MESSAGE.name,
  payload: ANSWER_MESSAGE.payload,
  transaction: false,
  timeout_seconds: 150,
  concurrency: 5,
  handler: (ctx, { message_id }) => answerMessage(ctx, message_id),
})

// Contract silent: what was said in chats is kept as long as executions are.
/** Deletes the messages that are no longer kept. */
export const deleteOldMessages = retentionJob({
  name: 'channels.delete_old_messages',
  table: 'channel_message',
  time: 'created_at',
  days: 400,
})
