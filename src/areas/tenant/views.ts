/** The tenant and its users in the statements of other areas. */

/** True while the tenant is suspended. */
export const isSuspendedTenant = (tenant_id: string): string =>
  `exists (select from tenant t where t.id = ${tenant_id} and t.suspended_at is not null)`

/** The name of the tenant of a row. */
export const nameOfTenant = (row: string): string =>
  `(select t.name from tenant t where t.id = ${row}.tenant_id)`

/** One row: `tenant t`, with the row that the tenant has in the table, or nulls. */
export const tenantWith = (table: string, alias: string): string => `from tenant t
   left join ${table} ${alias} on ${alias}.tenant_id = $1 and ${alias}.environment = $2
   where t.id = $1`

/** Joins `tenant_user u`, the user whom the row names. */
export const joinUser = (row: string): string =>
  `join tenant_user u on u.tenant_id = ${row}.tenant_id and u.environment = ${row}.environment and u.id = ${row}.user_id`
