/** The declaration of the job that processes callbacks, for those who enqueue it. */
import { z } from 'zod'

export const PROCESS_CALLBACK = {
  name: 'callbacks.process',
  payload: z.object({ callback_id: z.string(), again: z.boolean().optional() }),
  tenancy: 'tenant',
} as const
