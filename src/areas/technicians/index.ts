/** The exports of the area for other areas. */
export { technicianIds } from './queries.ts'
export { unknownTechnicians } from './rules.ts'
