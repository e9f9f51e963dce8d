/** The exports of the area for other areas. */
export { askForApproval } from './approval.ts'
export { approvalGate } from './gate.ts'
export { handOver } from './hand-over.ts'
