/** The jobs of executions. */
import { NO_PAYLOAD, systemJob, tenantJob } from '../../jobs/job.ts'
import { RUN_EXECUTION } from './run/declared.ts'
import type { RunContext } from './run/state.ts'
import { enqueueLost } from './run/sweep.ts'
import { work } from './run/work.ts'

const HOUR_SECONDS = 3600

export { deleteOldExecutions, forgetOldCalls } from './retention.ts'

/** Runs an execution. */
export const runExecution = tenantJob({
  name: RUN_EXECUTION.name,
  payload: RUN_EXECUTION.payload,
  transaction: false,
  // Attempts whose worker was lost use them up; the run itself counts those that fail.
  retries: 10_000,
  // Agents work for four hours at most.
  timeout_seconds: 5 * HOUR_SECONDS,
  // A run mostly waits for other systems, and holds no connection meanwhile.
  concurrency: 'MODEL_CALLS',
  // Contract silent: a tenant has at most 100 runs at work on a worker. Its slots let far fewer work at once.
  concurrency_of_tenant: 100,
  waits: true,
  // The execution itself is the record of its run.
  kept_seconds: 60,
  handler: (ctx, { execution_id }) => work(ctx as RunContext, execution_id),
})

/** Enqueues executions whose job was lost. */
export const sweepExecutions = systemJob({
  name: 'executions.sweep',
  schedule: '* * * * *',
  payload: NO_PAYLOAD,
  transaction: false,
  handler: enqueueLost,
})
