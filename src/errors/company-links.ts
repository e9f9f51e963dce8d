import { type ErrorTable, noSuch } from './entry.ts'

export const COMPANY_LINKS = {
  company_link_not_found: noSuch('company link'),
  psa_company_not_found: {
    status: 404,
    message: 'The PSA has no such company.',
    fix: 'Use a psa_company_id from GET /public-api/end-companies.',
  },
  company_link_unmapped: {
    status: 409,
    message: 'A link without a company cannot be confirmed.',
    fix: 'Map it to a company instead, which confirms it: PUT /public-api/company-links with a psa_company_id.',
  },
} as const satisfies ErrorTable
