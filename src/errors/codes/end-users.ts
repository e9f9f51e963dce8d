import { type ErrorTable, noSuch } from '../entry.ts'

export const END_USERS = {
  end_user_not_found: noSuch('end user'),
  end_company_not_mapped: {
    status: 409,
    message: 'The workplace-suite tenant is not linked to a company.',
    fix: 'Map it to one of the end companies first.',
  },
} as const satisfies ErrorTable
