/** The exports of the area for other areas. */
export { TECHNICIAN_DELETED } from './deleted.ts'
export { keepTechnician, loadTechnician, presentTechnicians, technicianIds } from './queries.ts'
export { refreshTechnicians } from './refresh.ts'
export { unknownTechnicians } from './rules.ts'
export { knownSchedules, onDuty, presentAmong, psaIdOf, type ToldTechnician } from './to-tell.ts'
export { joinTechnician, technicianById, technicianName } from './views.ts'
export { psaIdsAmong, workersAmong } from './workers.ts'
