import { type ErrorTable, noSuch } from './entry.ts'

export const TIL_REQUESTS = {
  til_request_not_found: noSuch('request to technicians'),
} as const satisfies ErrorTable
