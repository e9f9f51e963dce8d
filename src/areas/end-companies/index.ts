/** What other areas may know of end companies. */
export { EndCompany } from './end-company.ts'
export { endCompanyOf, lockEndCompany } from './queries.ts'
