/** The exports of the area for other areas. */
export { readSettings } from './queries.ts'
export { TenantSettings } from './settings.ts'
