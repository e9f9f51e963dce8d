import { z } from 'zod'
import { ENTRY_STATUS, text, whole } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const SCHEDULED_WORK = {
  scheduled_work_not_found: noSuch('entry of scheduled work'),
  scheduled_work_not_cancellable: {
    status: 409,
    message: 'The entry of scheduled work is not pending any more.',
    fix: 'Cancel the execution in details.execution_id, if there is one.',
    details: ENTRY_STATUS,
  },
  scheduled_work_not_editable: {
    status: 409,
    message: 'The entry of scheduled work is not pending any more.',
    fix: 'Create a new entry.',
    details: ENTRY_STATUS,
  },
  scheduled_work_duplicate: {
    status: 409,
    message: 'The agent is queued for this ticket at this minute already.',
    fix: 'Use the entry in details.entry_id, or another time.',
    details: z.object({
      current_status: text('The `status` of the other entry.', 'COMPLETED'),
      entry_id: whole('The other entry.', 7),
    }),
  },
} as const satisfies ErrorTable
