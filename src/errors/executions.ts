import { type ErrorTable, noSuch } from './entry.ts'

export const EXECUTIONS = {
  execution_not_found: noSuch('execution'),
} as const satisfies ErrorTable
