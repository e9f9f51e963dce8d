/** The declarations of the jobs that process callbacks, for those who enqueue them. */
import { z } from 'zod'

/** Takes a callback that is due to its turn. */
export const PROCESS_CALLBACK = {
  name: 'callbacks.process',
  payload: z.object({ callback_id: z.string() }),
  tenancy: 'tenant',
} as const

/** Processes callbacks that were admitted together, with the requests to the PSA that were taken for them. */
export const PROCESS_GROUP = {
  name: 'callbacks.process_group',
  payload: z.object({
    callback_ids: z.array(z.string()),
    prepaid: z.object({ system: z.string(), requests: z.int() }).nullable(),
  }),
  tenancy: 'tenant',
} as const

export type Group = z.output<typeof PROCESS_GROUP.payload>
