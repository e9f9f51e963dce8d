import { texts, UNKNOWN_ID } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

/** The first of the links that the error is about, and all of them if the request names several. */
const LINKS = UNKNOWN_ID.extend({
  ids: texts('The `external_id` of each link that the error is about.').optional(),
})

export const COMPANY_LINKS = {
  company_link_not_found: {
    ...noSuch('company link'),
    details: LINKS,
  },
  psa_company_not_found: {
    status: 404,
    message: 'The PSA has no such company.',
    fix: 'Use a psa_company_id from GET /public-api/end-companies.',
    details: UNKNOWN_ID,
  },
  company_link_unmapped: {
    status: 409,
    message: 'A link without a company cannot be confirmed.',
    fix: 'Map it to a company instead, which confirms it: PUT /public-api/company-links with a psa_company_id.',
    details: LINKS.extend({ missing: texts('The fields that are not set.', ['psa_company_id']) }),
  },
} as const satisfies ErrorTable
