/** The exports of the area for other areas. */
export { RETENTION_DAYS } from './rules.ts'
