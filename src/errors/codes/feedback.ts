import { z } from 'zod'
import { text } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const FEEDBACK = {
  feedback_not_found: noSuch('feedback'),
  feedback_closed: {
    status: 409,
    message: 'The time in which the answer can be replaced is over.',
    fix: 'Ask for a new link.',
    details: z.object({ status: text('Its status.', 'SUBMITTED') }),
  },
} as const satisfies ErrorTable
