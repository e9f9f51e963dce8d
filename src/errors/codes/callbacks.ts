import { z } from 'zod'
import { text } from '../details.ts'
import { type ErrorTable, noSuch, WAIT } from '../entry.ts'

export const CALLBACKS = {
  callback_not_found: noSuch('callback'),
  callback_not_reprocessable: {
    status: 409,
    message: 'The callback cannot be processed again.',
    fix: 'Reprocess one that is FAILED or FILTERED_OUT, within 7 days of its receipt.',
    details: z.object({
      id: text('The id of the callback.', 'cb_4Xn2'),
      current_status: text('The `status` of the callback.', 'PROCESSED'),
    }),
  },
  events_not_stored: {
    status: 429,
    message: 'The events could not be stored at the moment.',
    fix: WAIT,
    retryable: true,
  },
} as const satisfies ErrorTable
