import { type ErrorTable, noSuch } from './entry.ts'

export const SCHEDULED_WORK = {
  scheduled_work_not_found: noSuch('entry of scheduled work'),
  scheduled_work_not_cancellable: {
    status: 409,
    message: 'The entry of scheduled work is not pending any more.',
    fix: 'Cancel the execution in details.execution_id, if there is one.',
  },
  scheduled_work_not_editable: {
    status: 409,
    message: 'The entry of scheduled work is not pending any more.',
    fix: 'Create a new entry.',
  },
  scheduled_work_duplicate: {
    status: 409,
    message: 'The agent is queued for this ticket at this minute already.',
    fix: 'Use the entry in details.entry_id, or another time.',
  },
} as const satisfies ErrorTable
