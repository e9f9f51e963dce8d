import { z } from 'zod'
import { INVALID_FIELDS, numbers, text, texts, whole } from '../details.ts'
import { CORRECT_FIELDS, type ErrorTable, noSuch } from '../entry.ts'

export const TECHNICIANS = {
  technician_not_found: noSuch('technician'),
  technician_has_open_approvals: {
    status: 409,
    message: 'Requests wait for this technician alone, and no other technician can be asked.',
    fix: 'Decide the requests in details.til_request_ids, or make an OWNER or ADMIN a technician.',
    details: z.object({ til_request_ids: texts('The requests.', ['til_7']) }),
  },
  schedule_not_found: noSuch('schedule'),
  schedule_name_taken: {
    status: 409,
    message: 'Another schedule has this name.',
    fix: 'Choose another name.',
    details: z.object({
      name: text('The name.', 'Early shift'),
      schedule_id: whole('The schedule that has it.', 7),
    }),
  },
  schedule_in_use: {
    status: 409,
    message: 'Technicians are on this schedule.',
    fix: 'Assign the technicians in details.technician_ids to another schedule, or none to this one.',
    details: z.object({ technician_ids: numbers('The technicians on the schedule.', [7]) }),
  },
  schedule_windows_overlap: {
    status: 422,
    message: 'Windows of a schedule must not overlap.',
    fix: CORRECT_FIELDS,
    details: INVALID_FIELDS,
  },
} as const satisfies ErrorTable
