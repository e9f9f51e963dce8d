import { type ErrorTable, noSuch } from '../entry.ts'

export const EVENTS = {
  event_not_found: noSuch('event'),
} as const satisfies ErrorTable
