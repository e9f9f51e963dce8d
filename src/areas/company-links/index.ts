/** The exports of the area for other areas. */
export { type Customer, replaceCustomers } from './customers.ts'
export { RESOLVE_LINKS } from './declared.ts'
export { hasReview } from './in-review.ts'
export { judgeDevices, judgeLinks } from './judge.ts'
export { companyLinks } from './linked.ts'
export { findLinksOfPage } from './resolution/pages.ts'
