/** Mails of messages, each once: a mail that may have gone is not sent again unless a person says so. */
import { MailNotSent, mailOnce } from '../../connectors/mailing.ts'
import { db, scoped, sql } from '../../db/db.ts'
import { JobReleased } from '../../jobs/attempt.ts'
import type { JobContext, UnboundJobContext } from '../../jobs/job.ts'
import { hasBounced, storeBounce } from './bounces.ts'
import { sentText } from './feedback-links.ts'
import type { MessageRow } from './message.ts'

/** Attempts at one mail. */
export const ATTEMPTS = 9

export interface Payload {
  message_id: string
}

/** The code of the reason why a message was not sent. */
export type Failure =
  | 'no_address'
  | 'email_not_configured'
  | 'address_refused'
  | 'content_refused'
  | 'server_unreachable'
  | 'internal_error'

const OF_MESSAGE = 'm.tenant_id = $1 and m.environment = $2 and m.id = $3::text'
const QUEUED = `${OF_MESSAGE} and m.status = 'QUEUED'`

const BEGIN = scoped(
  'comms.begin_mail',
  `update comms_message m set began_at = $4::timestamptz
   where ${QUEUED} and m.began_at is null returning m.id`,
)

// A slow attempt that another one gave up for lost may still learn that the server has the mail.
const SENT = scoped(
  'comms.mail_sent',
  `update comms_message m
   set status = 'SENT', error = null, sent_at = $5::timestamptz, updated_at = $5::timestamptz
   where ${OF_MESSAGE} and m.began_at = $4::timestamptz
     and (m.status = 'QUEUED' or m.status = 'FAILED' and m.error = 'outcome_unknown')`,
)

const UNSENT = scoped(
  'comms.mail_unsent',
  `update comms_message m set began_at = null
   where ${QUEUED} and m.began_at = $4::timestamptz`,
)

const UNKNOWN = scoped(
  'comms.mail_unknown',
  `update comms_message m set status = 'FAILED', error = 'outcome_unknown', updated_at = $5::timestamptz
   where ${QUEUED} and m.began_at = $4::timestamptz`,
)

// A mail that began belongs to its attempt, which ends it.
const FAIL = scoped(
  'comms.fail_mail',
  `update comms_message m set status = $4::text::comms_status, error = $5::text, updated_at = $6::timestamptz
   where ${QUEUED} and m.began_at is null`,
)

const END = scoped(
  'comms.end_message',
  `update comms_message m set status = 'FAILED', updated_at = $5::timestamptz,
     error = case when m.began_at is null then $4::text else 'outcome_unknown' end
   where ${QUEUED}`,
)

/** Ends a message that waits to be sent: FAILED with the code, or with `outcome_unknown` if its mail began. */
export async function endMessage(
  ctx: JobContext,
  { message_id }: Payload,
  failure: Failure | 'ticket_not_found' | 'note_refused',
): Promise<void> {
  await sql(ctx, END, [message_id, failure, ctx.services.now()])
}

/** Ends the message of a job that is given up. */
export const giveUpMessage = (ctx: JobContext, payload: Payload): Promise<void> =>
  endMessage(ctx, payload, 'internal_error')

const fail = (ctx: JobContext, id: string, failure: Failure, status = 'FAILED') =>
  sql(ctx, FAIL, [id, status, failure, ctx.services.now()])

/** True if the mail of the message has begun, and nobody has said how it ended. */
const isUnderWay = async (ctx: JobContext, id: string): Promise<boolean> =>
  (await db(ctx).commsMessage.count({ where: { id, status: 'QUEUED', began_at: { not: null } } })) > 0

async function send(ctx: UnboundJobContext, message: MessageRow): Promise<void> {
  const { id, address: to, subject } = message
  const { mail: mailer, now } = ctx.services
  if (!mailer) return void (await fail(ctx, id, 'email_not_configured'))
  if (to === null) return void (await fail(ctx, id, 'no_address'))
  // A mail that was QUEUED at the same time may have been refused meanwhile.
  if (await hasBounced(ctx, to)) return void (await fail(ctx, id, 'address_refused', 'SUPPRESSED'))
  let began_at: Date | null = null
  const row = {
    async begin(at: Date) {
      began_at = at
      return (await sql(ctx, BEGIN, [id, at])).length > 0
    },
    sent: (at: Date) => sql(ctx, SENT, [id, began_at, at]),
    unsent: (at: Date) => sql(ctx, UNSENT, [id, at]),
    unknown: (at: Date) => sql(ctx, UNKNOWN, [id, at, now()]),
    refused: (part: 'ADDRESS' | 'CONTENT') =>
      ctx.commit(async () => {
        ctx.now = now()
        // Contract silent: a server that refuses what a mail says refuses no other mail to the address.
        if (part === 'ADDRESS') await storeBounce(ctx, to)
        await fail(ctx, id, part === 'ADDRESS' ? 'address_refused' : 'content_refused')
      }),
  }
  const text = sentText(ctx.services, message)
  const outcome = await mailOnce(ctx, mailer, row, { to, subject: subject ?? '', text, message_id: id })
  // Another attempt may be lost before it ends the message. The next one of this job ends it then.
  if (outcome === 'GIVEN_UP' && (await isUnderWay(ctx, id)))
    throw new Error('Another attempt at the mail has begun')
}

/** Mails the message, unless its mail may have gone already. */
export async function sendMail(ctx: UnboundJobContext, payload: Payload): Promise<void> {
  const where = { id: payload.message_id, medium: 'EMAIL', status: 'QUEUED' } as const
  const message = await db(ctx).commsMessage.findFirst({ where })
  if (!message) return
  // A worker was lost after the mail had begun.
  if (message.began_at) return await endMessage(ctx, payload, 'internal_error')
  try {
    await send(ctx, message)
  } catch (error) {
    const is_released = ctx.signal.reason instanceof JobReleased
    const failure = error instanceof MailNotSent ? 'server_unreachable' : 'internal_error'
    if (ctx.attempt >= ATTEMPTS && !is_released) await endMessage(ctx, payload, failure)
    throw error
  }
}
