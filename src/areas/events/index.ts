/** The exports of the area for other areas. */
export { EventSeverity } from './severity.ts'
