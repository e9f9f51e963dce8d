/** The exports of the area for other areas. */
export { Execution, ExecutionStatus, executionId } from './execution.ts'
export { liveEntityIds, liveTicketIds } from './live.ts'
export { executionOf, requireExecution } from './queries.ts'
export { actionsOf } from './rules/granted.ts'
export { CREDITS_PER_CALL } from './rules/settings.ts'
export { APPROVAL_GATE, type ApprovalGate, type Gate } from './run/approval-gate.ts'
export { type NewEvent, recordEvents } from './run/events.ts'
export { lockExecution } from './run/move.ts'
export { resumeExecution } from './run/resume.ts'
export type { RecordedCall, RunState } from './run/state.ts'
export {
  enqueueExecution,
  type LiveExecution,
  liveExecution,
  type Start,
  startExecution,
  superviseExecution,
} from './start.ts'
export { onChange } from './wait.ts'
