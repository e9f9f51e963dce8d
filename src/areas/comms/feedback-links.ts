/** Messages that have a feedback link: its address is made when they are sent, so that no row holds its signature. */
import { feedbackUrl, linkIn } from '../../access/credentials/feedback-link.ts'
import type { DatabaseContext } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import type { Services } from '../../gateway/context.ts'
import type { MessageRow } from './message.ts'
import { FEEDBACK_LINK } from './rules.ts'
import { enqueueNote, queueMail, type SendingContext } from './sending.ts'

type Signer = Pick<Services, 'signing_secrets' | 'public_url'>

export type WithLink = Pick<MessageRow, 'body' | 'feedback_id' | 'feedback_expires_at'>

/** The text as it is sent: with the address of the feedback link, if the message has one. */
export function sentText(
  signer: Signer,
  { body, feedback_id: id, feedback_expires_at: expires_at }: WithLink,
): string {
  if (id === null || expires_at === null) return body
  return body.replaceAll(FEEDBACK_LINK, () => feedbackUrl(signer, { id, expires_at }))
}

/** The text as it is stored: with the placeholder for the feedback link that it has. */
export function storedText(signer: Signer, body: string): WithLink {
  const link = linkIn(signer, body)
  return {
    body: link ? body.replaceAll(link.url, FEEDBACK_LINK) : body,
    feedback_id: link?.id ?? null,
    feedback_expires_at: link?.expires_at ?? null,
  }
}

/** The texts as which the message may have been sent: the secret that signed it may have been replaced since. */
export const sentTexts = ({ signing_secrets, public_url }: Signer, message: WithLink): string[] => [
  ...new Set(signing_secrets.map((secret) => sentText({ signing_secrets: [secret], public_url }, message))),
]

/** The id of the message of a tool call, as the database derives it. */
export const messageIdOf = (call_id: string): string => `cms_${call_id.replace(/^[a-z]+_/, '')}`

/** An end user who reads a message. */
export interface Reader {
  id: string
  name: string
  email: string | null
}

/** A message with a feedback link. */
interface LinkMessage {
  id: string
  medium: 'TICKET_NOTE' | 'EMAIL'
  feedback: { id: string; expires_at: Date }
  /** The text has the placeholder of the link. Only a mail has the subject. */
  words: { subject: string; body: string }
  /** null: not known, which a mail does not permit. */
  reader: Reader | null
  about: Pick<MessageRow, 'ticket_id' | 'execution_id' | 'agent_id' | 'source_id'>
}

const FIXED = ['id', 'direction', 'execution_id', 'agent_id', 'source_id', 'created_at'] as const

const CHANGED = [
  'medium',
  'status',
  'error',
  'address',
  'recipient_type',
  'recipient_id',
  'recipient_name',
  'end_user_id',
  'subject',
  'body',
  'feedback_id',
  'feedback_expires_at',
  'ticket_id',
  'updated_at',
] as const

// The message of a call that waited for a technician, or has begun, is stored already, without its link.
const STORE = insertOf('comms.store_link_message', 'CommsMessage', {
  columns: [...FIXED, ...CHANGED],
  on_conflict: {
    key: ['id'],
    replace: CHANGED,
    where: 'comms_message.source_id = $source_id and comms_message.feedback_id is null',
  },
})

/** Stores the message of a tool call with the job that sends it, in a transaction. A mail to a bounced address is SUPPRESSED. */
export async function sendFeedbackLink(
  ctx: SendingContext & DatabaseContext,
  { id, medium, feedback, words, reader, about }: LinkMessage,
): Promise<void> {
  const is_mail = medium === 'EMAIL'
  const mailed = is_mail ? await queueMail(ctx, id, reader?.email ?? '') : null
  if (!mailed) await enqueueNote(ctx, id)
  await insert(ctx, STORE, {
    id,
    direction: 'OUTBOUND',
    medium,
    status: mailed?.status ?? 'QUEUED',
    error: mailed?.error ?? null,
    address: mailed?.address ?? null,
    recipient_type: reader && 'END_USER',
    recipient_id: reader?.id ?? null,
    recipient_name: reader?.name ?? null,
    end_user_id: reader?.id ?? null,
    subject: is_mail ? words.subject : null,
    body: words.body,
    feedback_id: feedback.id,
    feedback_expires_at: feedback.expires_at,
    ...about,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
}
