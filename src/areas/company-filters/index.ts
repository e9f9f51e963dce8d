/** The exports of the area for other areas. */

export { isCompanyInScope, newInScope } from './scope.ts'
