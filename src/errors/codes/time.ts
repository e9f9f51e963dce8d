import { z } from 'zod'
import { LONG_WINDOW, NO_WINDOW, text, texts } from '../details.ts'
import type { ErrorTable } from '../entry.ts'

export const TIME = {
  invalid_timezone: {
    status: 400,
    message: 'The time zone is not one the service supports.',
    fix: 'Send an IANA zone name such as Europe/London, or null.',
    details: z.object({
      timezone: text('The zone, as it was sent.', 'Europe/Londn'),
      suggestions: texts('Zones that may have been meant.', ['Europe/London']),
    }),
  },
  invalid_window: {
    status: 400,
    message: 'The window must end after it starts.',
    fix: 'Send a start that is earlier than the end.',
    details: NO_WINDOW,
  },
  window_too_large: {
    status: 400,
    message: 'The window is too long.',
    fix: 'Ask for a shorter window; details.max_seconds is the longest.',
    details: LONG_WINDOW,
  },
} as const satisfies ErrorTable
