/** The exports of the area for other areas. */
export { Execution, ExecutionStatus, executionId } from './execution.ts'
export { liveEntityIds, liveTicketIds } from './live.ts'
export { executionOf, requireExecution } from './queries.ts'
export {
  enqueueExecution,
  type LiveExecution,
  liveExecution,
  startExecution,
  superviseExecution,
} from './start.ts'
