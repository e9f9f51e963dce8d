/** The exports of the area for other areas: the catalogue of changes in a PSA. */
export { CHANGE_TYPE_CATALOG, CHANGE_TYPES, type ChangeType } from './change-types.ts'
