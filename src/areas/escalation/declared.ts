/** The jobs of escalation, as they are enqueued. */
import { z } from 'zod'
import { NO_PAYLOAD } from '../../jobs/job.ts'

/** Takes a step of an escalation, at its time. */
export const TAKE_STEP = {
  name: 'escalation.take_step',
  payload: z.object({ event_id: z.string(), step: z.int() }),
  tenancy: 'tenant',
} as const

/** Changes the ticket of an escalation, at its opening. */
export const CHANGE_TICKET = {
  name: 'escalation.change_ticket',
  payload: z.object({ event_id: z.string() }),
  tenancy: 'tenant',
} as const

/** Mails a support request to the operator of the service. */
export const MAIL_SUPPORT_REQUEST = {
  name: 'escalation.mail_support_request',
  payload: z.object({ support_request_id: z.string() }),
  tenancy: 'tenant',
} as const

/** Mails an escalation to a technician. */
export const SEND_MAIL = {
  name: 'escalation.send_mail',
  payload: z.object({ event_id: z.string(), step: z.int(), target_id: z.string() }),
  tenancy: 'tenant',
} as const

/** Opens escalations for the tenant's stalled tickets. */
export const FIND_STALLED = {
  name: 'escalation.find_stalled',
  payload: NO_PAYLOAD,
  tenancy: 'tenant',
} as const
