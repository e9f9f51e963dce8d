/** Settings in the statements of other areas. */

/** The zone of the tenant; null if none is set. */
export const ZONE_OF_TENANT = '(select timezone from settings where tenant_id = $1 and environment = $2)'

/** The environments with settings, and the one of the caller. */
export const ENVIRONMENTS = `array(
  select environment from settings where tenant_id = $1 union select $2::text order by 1)`

/** The name by which customers know the tenant of a row; null: it has no settings in the environment. */
export const displayName = (row: string): string => `(select s.human_friendly_client_name from settings s
  where s.tenant_id = ${row}.tenant_id and s.environment = ${row}.environment)`
