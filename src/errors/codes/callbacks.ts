import { type ErrorTable, noSuch } from '../entry.ts'

export const CALLBACKS = {
  callback_not_found: noSuch('callback'),
} as const satisfies ErrorTable
