/** End users in the statements of other areas. */
import { joinCompany } from '../end-companies/index.ts'

/** Joins `end_user u`, the ACTIVE end user of a row if there is one, and `end_company c`, their company. */
export const joinEndUser = (row: string): string => `left join end_user u on u.tenant_id = ${row}.tenant_id
     and u.environment = ${row}.environment and u.id = ${row}.end_user_id and u.status = 'ACTIVE'
   left ${joinCompany('u')}`

/** The end users `u` of the tenant with their companies `c`. */
export const END_USERS_WITH_COMPANIES = `select from end_user u ${joinCompany('u')}
     where u.tenant_id = $1 and u.environment = $2`
