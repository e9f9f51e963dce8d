import { z } from 'zod'
import { INVALID_FIELDS, textOrNull, timeOrNull } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const MEMORIES = {
  memory_not_found: noSuch('memory'),
  memory_pinned: {
    status: 409,
    message: 'The memory is pinned.',
    fix: 'Take the pin off first, or call in the name of a user.',
    details: z.object({ pinned_at: timeOrNull('When it was pinned.', '2026-11-20T09:00:00.000Z') }),
  },
  memory_superseded: {
    status: 409,
    message: 'Another memory has replaced this one.',
    fix: 'Use the memory in details.superseded_by.',
    details: z.object({ superseded_by: textOrNull('The memory that replaces it.', 'mem_8') }),
  },
  memory_deleted: {
    status: 409,
    message: 'The memory is deleted.',
    fix: 'Restore it first.',
    details: z.object({ deleted_at: timeOrNull('When it was deleted.', '2026-11-20T09:00:00.000Z') }),
  },
  secret_in_content: {
    status: 422,
    message: 'The text holds a secret.',
    fix: 'Take the secret out of the fields named in details.field_errors.',
    details: INVALID_FIELDS,
  },
} as const satisfies ErrorTable
