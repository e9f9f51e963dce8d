/** The declaration of the job that runs executions, for those who enqueue it. */
import { z } from 'zod'

export const RUN_EXECUTION = {
  name: 'executions.run',
  payload: z.object({ execution_id: z.string() }),
  tenancy: 'tenant',
} as const
