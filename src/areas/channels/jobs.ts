/** The jobs of channels. */
import { statement } from '../../db/sql.ts'
import { JobReleased } from '../../jobs/attempt.ts'
import { type JobContext, tenantJob, type UnboundJobContext } from '../../jobs/job.ts'
import { BATCH, BATCH_MS, hourly, inBatches, retentionJob } from '../../jobs/retention.ts'
import { daysBefore } from '../../lib/time.ts'
import { answerMessage } from './conversations/answer.ts'
import { settleMessage } from './conversations/queries.ts'
import { ATTEMPTS, sendAnswer } from './conversations/send.ts'
import { ANSWER_MESSAGE, SEND_ANSWER } from './declared.ts'

interface Payload {
  message_id: string
}

/** Ends the message of a job that is given up, or whose last attempt failed. */
async function giveUpMessage(ctx: JobContext, { message_id }: Payload): Promise<void> {
  await settleMessage(ctx, message_id, { status: 'FAILED', error_code: 'internal_error' })
}

/** The work on a message, which is ended if the last attempt fails. The failure makes the job a dead letter. */
const endingAfter =
  (attempts: number, work: (ctx: UnboundJobContext, message_id: string) => Promise<void>) =>
  async (ctx: UnboundJobContext, payload: Payload): Promise<void> => {
    try {
      await work(ctx, payload.message_id)
    } catch (error) {
      const is_released = ctx.signal.reason instanceof JobReleased
      if (ctx.attempt >= attempts && !is_released) await giveUpMessage(ctx, payload)
      throw error
    }
  }

const ANSWER_ATTEMPTS = 6

/** Answers a message of a chat. */
export const answerChannelMessage = tenantJob({
  name: ANSWER_MESSAGE.name,
  payload: ANSWER_MESSAGE.payload,
  transaction: false,
  timeout_seconds: 150,
  retries: ANSWER_ATTEMPTS - 1,
  concurrency: 'MODEL_CALLS',
  waits: true,
  handler: endingAfter(ANSWER_ATTEMPTS, answerMessage),
  onGivenUp: giveUpMessage,
})

/** Sends an answer to the chat of its channel. */
export const sendChannelAnswer = tenantJob({
  name: SEND_ANSWER.name,
  payload: SEND_ANSWER.payload,
  transaction: false,
  waits: true,
  retries: ATTEMPTS - 1,
  concurrency: 50,
  handler: endingAfter(ATTEMPTS, sendAnswer),
  onGivenUp: giveUpMessage,
})

// Contract silent: what was said in chats is kept as long as executions are.
const KEPT_DAYS = 400

/** Deletes the messages that are no longer kept. */
export const deleteOldMessages = retentionJob({
  name: 'channels.delete_old_messages',
  table: 'channel_message',
  time: 'created_at',
  days: KEPT_DAYS,
})

const SILENT = `c.environment = $1 and c.created_at < $2::timestamptz and not exists (
  select from channel_message m where m.tenant_id = c.tenant_id and m.environment = c.environment
    and m.channel_id = c.channel_id and m.conversation_id = c.id)`

// The conversation is locked while a message is added to it, so that it is skipped here or seen below.
const LOCK_SILENT = statement(
  'channels.silent_conversations',
  `select c.tenant_id, c.channel_id, c.id from channel_conversation c
   where ${SILENT} limit ${BATCH} for update skip locked`,
)

const DELETE_SILENT = statement(
  'channels.delete_silent',
  `delete from channel_conversation c
   using jsonb_to_recordset($3::jsonb) as s (tenant_id text, channel_id text, id text)
   where ${SILENT} and c.tenant_id = s.tenant_id and c.channel_id = s.channel_id and c.id = s.id`,
)

/** Deletes the conversations of which no message is kept. */
export const deleteOldConversations = hourly('channels.delete_old_conversations', async (ctx) => {
  const { database, environment } = ctx.services
  const values = [environment, daysBefore(ctx.now, KEPT_DAYS)]
  await inBatches(ctx, BATCH, () =>
    database.transaction(BATCH_MS, async (connection) => {
      const silent = await connection.rows(LOCK_SILENT, values)
      if (silent.length > 0) await connection.rows(DELETE_SILENT, [...values, JSON.stringify(silent)])
      return silent.length
    }),
  )
})
