/** The exports of the area for other areas. */
export { CHANGE_TYPE_DESCRIPTIONS, ChangeType } from './change-type.ts'
export { RETENTION_DAYS } from './rules.ts'
