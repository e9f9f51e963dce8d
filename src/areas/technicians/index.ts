/** The exports of the area for other areas. */
export { TECHNICIAN_DELETED } from './deleted.ts'
export { technicianIds } from './queries.ts'
export { unknownTechnicians } from './rules.ts'
