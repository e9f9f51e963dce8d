/** The jobs of executions. */
import { NO_PAYLOAD, systemJob } from '../../jobs/job.ts'
import { enqueueLost } from './engine/recovery/sweep.ts'

export { runExecution } from './engine/run-execution.ts'
export { deleteOldExecutions, forgetOldCalls } from './retention.ts'
export { runOccurrence } from './starting/occurrence.ts'

/** Enqueues executions whose job was lost. */
export const sweepExecutions = systemJob({
  name: 'executions.sweep',
  schedule: '* * * * *',
  payload: NO_PAYLOAD,
  transaction: false,
  handler: enqueueLost,
})
