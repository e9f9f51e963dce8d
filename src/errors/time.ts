import type { ErrorTable } from './entry.ts'

export const TIME = {
  invalid_timezone: {
    status: 400,
    message: 'The time zone is not one the service supports.',
    fix: 'Send an IANA zone name such as Europe/London, or null.',
  },
  invalid_window: {
    status: 400,
    message: 'The window must end after it starts.',
    fix: 'Send a start that is earlier than the end.',
  },
  window_too_large: {
    status: 400,
    message: 'The window is too long.',
    fix: 'Ask for a shorter window; details.max_seconds is the longest.',
  },
} as const satisfies ErrorTable
