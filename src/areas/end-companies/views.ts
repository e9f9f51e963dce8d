/** End companies in the statements of other areas. */

const isOf = (row: string): string =>
  `c.tenant_id = ${row}.tenant_id and c.environment = ${row}.environment and c.id = ${row}.end_company_id`

/** Joins `end_company c`, the company of a row. */
export const joinCompany = (row: string): string => `join end_company c on ${isOf(row)}`

/** The name of the company of a row. */
export const companyName = (row: string): string => `(select c.name from end_company c where ${isOf(row)})`

/** The name of the company with the id in the PSA. */
export const companyNameByPsaId = (psa_company_id: string): string => `(select c.name from end_company c
  where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = ${psa_company_id})`

/** The id of the company with the tenant in the workplace suite that a row names. */
export const companyOfWorkplace = (row: string): string => `(select c.id from end_company c
  where c.tenant_id = ${row}.tenant_id and c.environment = ${row}.environment
    and c.workplace_tenant_id = ${row}.workplace_tenant_id)`

/** Joins `end_company c`, the company with the id in the PSA. */
export const joinCompanyByPsaId = (psa_company_id: string): string => `join end_company c
  on c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = ${psa_company_id}`
