import { z } from 'zod'
import { texts, whole } from '../details.ts'
import type { ErrorTable } from '../entry.ts'

export const COMPANY_FILTERS = {
  removable_changed: {
    status: 409,
    message: 'Other companies are removable than those that the request is about.',
    fix: 'Read the company filters again; details has the present number, or the companies that are not removable.',
    details: z.object({
      count: whole('How many companies are removable.', 3).optional(),
      psa_company_ids: texts('Companies of the request that are not removable.').optional(),
    }),
  },
  company_in_use: {
    status: 409,
    message: 'Agents work on tickets of companies that would be removed.',
    fix: 'Leave out the companies in details.psa_company_ids, or wait until their executions have ended.',
    details: z.object({ psa_company_ids: texts('The companies that agents work for.', ['29']) }),
  },
} as const satisfies ErrorTable
