/** The exports of the area for other areas. */
export { CustomerStatus, EndCompany } from './end-company.ts'
export { companyOfWorkplaceTenant, endCompanyById, endCompanyOf, lockEndCompany } from './queries.ts'
export { bringIntoScope, companiesInScope, type ScopedCompany, takeOutOfScope } from './scope.ts'
