/** The job of runs, as it is enqueued. */
import { z } from 'zod'

/** Sends a run to the RMM, and follows it to its end. */
export const WORK = {
  name: 'rmm-scripts.work',
  payload: z.object({ run_id: z.string() }),
  tenancy: 'tenant',
} as const
