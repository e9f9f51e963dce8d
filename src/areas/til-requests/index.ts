/** The exports of the area for other areas. */
export { approvalAlways, approvalUnlessTurnedOff } from './approval.ts'
export { handOver } from './hand-over.ts'
