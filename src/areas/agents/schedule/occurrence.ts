/** The job of one occurrence of a schedule, for those who enqueue it. */
import { z } from 'zod'

export const RUN_OCCURRENCE = {
  name: 'agents.run_occurrence',
  payload: z.object({
    agent_id: z.int(),
    occurrence_at: z.iso.datetime(),
    /** The occurrence before it, or when the schedule came into force. */
    since: z.iso.datetime(),
  }),
  tenancy: 'tenant',
} as const
