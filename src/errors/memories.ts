import { type ErrorTable, noSuch } from './entry.ts'

export const MEMORIES = {
  memory_not_found: noSuch('memory'),
  memory_pinned: {
    status: 409,
    message: 'The memory is pinned.',
    fix: 'Take the pin off first, or call in the name of a user.',
  },
  memory_superseded: {
    status: 409,
    message: 'Another memory has replaced this one.',
    fix: 'Use the memory in details.superseded_by.',
  },
  memory_deleted: {
    status: 409,
    message: 'The memory is deleted.',
    fix: 'Restore it first.',
  },
  secret_in_content: {
    status: 422,
    message: 'The text holds a secret.',
    fix: 'Take the secret out of the fields named in details.field_errors.',
  },
} as const satisfies ErrorTable
