/** The exports of the area for other areas. */
export { askForApproval } from './api-approval/ask-for-approval.ts'
export { approvalGate } from './asking/gate.ts'
export { handOver } from './asking/hand-over.ts'
export { titlesOf } from './titles.ts'
