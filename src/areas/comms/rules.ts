/** The rules of messages that callers send. */
import { bodyProblem, type FieldError } from '../../errors/errors.ts'

type Medium = 'TICKET_NOTE' | 'EMAIL' | 'CHAT'

/** A message that a caller wants to send. null: it is not given. */
export interface Draft {
  medium: Medium
  ticket_id: string | null
  channel_id: string | null
  recipient: object | null
  subject: string | null
}

type Field = Exclude<keyof Draft, 'medium'>

interface Fields {
  needs: readonly Field[]
  may_have: readonly Field[]
}

/** The fields of each medium, beside the text that all have. An e-mail names a ticket for reference alone. */
const FIELDS: Readonly<Record<Medium, Fields>> = {
  TICKET_NOTE: { needs: ['ticket_id'], may_have: [] },
  CHAT: { needs: ['channel_id', 'recipient'], may_have: [] },
  EMAIL: { needs: ['recipient', 'subject'], may_have: ['ticket_id'] },
}

const ALL: readonly Field[] = ['ticket_id', 'channel_id', 'recipient', 'subject']

/** The problems of fields that the medium needs, and of those that it does not take. */
export function draftProblems(draft: Draft): FieldError[] {
  const { medium } = draft
  const { needs, may_have } = FIELDS[medium]
  return ALL.flatMap((field) => {
    const is_given = draft[field] !== null
    if (needs.includes(field))
      return is_given ? [] : [bodyProblem(field, 'required', `is required for ${medium}`)]
    return is_given && !may_have.includes(field) ? [bodyProblem(field, 'medium', `is not for ${medium}`)] : []
  })
}

/** The placeholder in the text of a message for the address of its feedback link. */
export const FEEDBACK_LINK = '[feedback link]'

/** Days for which an address that refused a mail for good gets no other one. */
export const BOUNCE_DAYS = 30

/** The address, as bounces are known by it. */
export const bounceKey = (address: string): string => address.trim().toLowerCase()

interface Sent {
  direction: string
  medium: string
  status: string
  error: string | null
  execution_id: string | null
  conversation_id: string | null
  source_id: string | null
}

/** True if a caller sent the message. Messages of agents follow a tool call, and chats of callers a message of the chat. */
const isOfCaller = ({ direction, medium, execution_id, conversation_id, source_id }: Sent): boolean =>
  direction === 'OUTBOUND' &&
  execution_id === null &&
  (medium === 'CHAT' ? conversation_id !== null && source_id !== null : source_id === null)

/** True if the message may be sent again. One that may have arrived is repeated only by who accepts to send it twice. */
export const isRetryable = (message: Sent, { confirm_duplicate }: { confirm_duplicate: boolean }): boolean =>
  isOfCaller(message) &&
  message.status === 'FAILED' &&
  (message.error !== 'outcome_unknown' || confirm_duplicate)
