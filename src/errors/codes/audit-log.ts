import { type ErrorTable, noSuch } from '../entry.ts'

export const AUDIT_LOG = {
  audit_log_entry_not_found: noSuch('entry of the last 30 days in the audit log'),
} as const satisfies ErrorTable
