/** The exports of the area for other areas. */
export { EndCompany } from './end-company.ts'
export {
  companiesToMatch,
  companyIdOf,
  companyOfWorkplaceTenant,
  endCompanyById,
  endCompanyOf,
  lockEndCompany,
  markOfCompanies,
} from './queries.ts'
export { markMissingCompanies, type Refreshed, refreshCompanies, refreshCompany } from './refresh.ts'
export { bringIntoScope, companiesInScope, type ScopedCompany, takeOutOfScope } from './scope.ts'
export {
  companyName,
  companyNameByPsaId,
  companyOfWorkplace,
  joinCompany,
  joinCompanyByPsaId,
} from './views.ts'
