import { z } from 'zod'
import { text } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const COMMS = {
  message_not_found: noSuch('message'),
  message_not_retryable: {
    status: 409,
    message: 'The message cannot be sent again.',
    fix: 'Read the message. Only messages that callers sent and that are FAILED are retried; with `outcome_unknown` only with `confirm_duplicate: true`.',
    details: z.object({ status: text('Its status.', 'SENT') }),
  },
  email_not_configured: {
    status: 409,
    message: 'The service sends no e-mails here.',
    fix: 'Send a note or a chat. `/tenant` has `email` among its `features` if the operator has configured a mail server.',
  },
} as const satisfies ErrorTable
