/** The exports of the area for other areas. */

export { newInScope } from './new-companies.ts'
export { isCompanyInScope } from './scope.ts'
