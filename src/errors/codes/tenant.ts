import { z } from 'zod'
import { text, UNKNOWN_ID } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const TENANT = {
  user_not_found: noSuch('user'),
  permission_group_not_found: {
    status: 404,
    message: 'There is no such permission group.',
    fix: 'Use a name from GET /public-api/permission-groups.',
    details: UNKNOWN_ID,
  },
  technician_already_linked: {
    status: 409,
    message: 'Another user is this technician.',
    fix: 'Unlink the user in details.user_id first.',
    details: z.object({ user_id: text('The user who is linked.', 'usr_7') }),
  },
  last_owner: {
    status: 409,
    message: 'A tenant keeps at least one OWNER.',
    fix: 'Make somebody else OWNER first.',
  },
} as const satisfies ErrorTable
