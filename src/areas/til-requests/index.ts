/** The exports of the area for other areas. */
export { askForApproval, requestApproval } from './api-approval/ask-for-approval.ts'
export { approvalGate } from './asking/gate.ts'
export { handOver } from './asking/hand-over.ts'
export { WAITING_RUNS } from './deciding/waiting-runs.ts'
export { lockWaiting, withdrawRequest } from './deciding/withdraw.ts'
export { titlesOf } from './titles.ts'
