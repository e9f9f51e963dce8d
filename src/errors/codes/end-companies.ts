import { z } from 'zod'
import { text } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const END_COMPANIES = {
  end_company_not_found: noSuch('end company'),
  workplace_tenant_taken: {
    status: 409,
    message: 'Another company is mapped to this workplace tenant.',
    fix: 'Unmap it from the company in details.end_company_id first.',
    details: z.object({ end_company_id: text('The company that it is mapped to.', 'org_7') }),
  },
} as const satisfies ErrorTable
