import { INVALID_FIELDS } from '../details.ts'
import { CORRECT_FIELDS, type ErrorTable } from '../entry.ts'

export const SETTINGS = {
  business_hours_order: {
    status: 422,
    message: 'Business hours must end after they start.',
    fix: CORRECT_FIELDS,
    details: INVALID_FIELDS,
  },
} as const satisfies ErrorTable
