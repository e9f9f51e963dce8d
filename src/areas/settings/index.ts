/** The exports of the area for other areas. */
export { readZone, SETTINGS } from './queries.ts'
export { DATA_RESIDENCY, TenantSettings } from './settings.ts'
export { displayName, ENVIRONMENTS, ZONE_OF_TENANT } from './views.ts'
