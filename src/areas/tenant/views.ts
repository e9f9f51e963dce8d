/** The tenant and its users in the statements of other areas. */

/** True while the tenant is suspended. */
export const isSuspendedTenant = (tenant_id: string): string =>
  `exists (select from tenant t where t.id = ${tenant_id} and t.suspended_at is not null)`

/** Joins `tenant_user u`, the user whom the row names. */
export const joinUser = (row: string): string =>
  `join tenant_user u on u.tenant_id = ${row}.tenant_id and u.environment = ${row}.environment and u.id = ${row}.user_id`
