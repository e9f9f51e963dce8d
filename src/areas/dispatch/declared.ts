/** The jobs of dispatch, as they are enqueued. */
import { z } from 'zod'

/** Decides who takes a ticket that arrived. */
export const DECIDE = {
  name: 'dispatch.decide',
  payload: z.object({ ticket_id: z.string() }),
  tenancy: 'tenant',
} as const

/** Gives the ticket of a decision to its technician: of one that is automatic, or whose write did not come to its end. */
export const ASSIGN = {
  name: 'dispatch.assign',
  payload: z.object({ decision_id: z.string() }),
  tenancy: 'tenant',
} as const
