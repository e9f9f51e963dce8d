/** The exports of the area for other areas. */
export { EndCompany } from './end-company.ts'
export { endCompanyOf, lockEndCompany } from './queries.ts'
