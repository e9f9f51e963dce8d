/** The jobs of executions. */
import { z } from 'zod'
import { storedJob } from '../../jobs/job.ts'

/** Runs an execution that was accepted. It is stored with the execution, and waits: nothing runs executions yet. */
export const runExecution = storedJob({
  name: 'executions.run',
  payload: z.object({ execution_id: z.string() }),
})
