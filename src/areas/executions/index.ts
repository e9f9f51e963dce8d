/** The exports of the area for other areas. */

export { resultArrived } from './engine/calls/wait-for-result.ts'
export { type LockedExecution, lockExecution, resumeAfterDecision } from './engine/lifecycle/transition.ts'
export { actionsOf } from './engine/rules/granted.ts'
export { CREDITS_PER_CALL } from './engine/rules/settings.ts'
export { APPROVAL_GATE, type ApprovalGate, type AskedOfGate, type Gate } from './engine/run/approval-gate.ts'
export type { RecordedCall, RunState } from './engine/run/run-lock.ts'
export { type NewEvent, recordEvents } from './engine/run/timeline.ts'
export { Execution, executionId } from './execution.ts'
export { lastFailedCalls, retriesAmong } from './failures.ts'
export { latestRuns, liveTicketIds, writesOnEntity } from './live.ts'
export { completedAgentOf, executionIfSeen, firstRun, reportOf, requireExecution, workOf } from './queries.ts'
export { EXECUTION_IF_SEEN } from './relation.ts'
export { enqueueExecution, liveExecution, startExecution } from './starting/start.ts'
export {
  firstRunOf,
  isSupervised,
  keptRequests,
  latestAgentOn,
  ofSeenExecution,
  startersOf,
} from './views.ts'
export { onChange } from './wait.ts'
