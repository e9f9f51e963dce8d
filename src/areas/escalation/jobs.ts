/** The loops and the jobs of escalation. */
import { NO_PAYLOAD, systemJob, tenantJob } from '../../jobs/job.ts'
import type { Loop } from '../../jobs/loop.ts'
import { retentionJob } from '../../jobs/retention.ts'
import { changeTicket } from './change-ticket.ts'
import { CHANGE_TICKET, FIND_STALLED, MAIL_SUPPORT_REQUEST, SEND_MAIL, TAKE_STEP } from './declared.ts'
import { followEvents } from './follow.ts'
import { ATTEMPTS, giveUpMail, sendMail } from './mail.ts'
import { findStalled, queueStalled } from './stalled.ts'
import { leaveStep, takeStep } from './step.ts'
import { mailSupportRequest } from './support/mail.ts'

export const followCauses: Loop = {
  name: 'escalation.follow',
  interval_ms: 1_000,
  run: followEvents,
}

export const takeEscalationStep = tenantJob({
  ...TAKE_STEP,
  retries: 8,
  retry_delay_seconds: 2,
  handler: takeStep,
  onGivenUp: leaveStep,
})

/** Outages of a PSA last minutes: it is asked for 34 of them. */
export const changeEscalatedTicket = tenantJob({
  ...CHANGE_TICKET,
  transaction: false,
  waits: true,
  retries: 10,
  retry_delay_seconds: 2,
  timeout_seconds: 60,
  concurrency: 20,
  concurrency_of_tenant: 5,
  handler: changeTicket,
})

/** Looks for tenants whose tickets may be stalled. */
export const queueStalledTickets = systemJob({
  name: 'escalation.queue_stalled',
  schedule: '* * * * *',
  payload: NO_PAYLOAD,
  transaction: false,
  handler: queueStalled,
})

export const findStalledTickets = tenantJob({
  ...FIND_STALLED,
  transaction: false,
  waits: true,
  timeout_seconds: 120,
  concurrency: 10,
  concurrency_of_tenant: 1,
  kept_seconds: 600,
  handler: findStalled,
})

/** Sending a mail: it waits for the server, and is tried for an hour. */
const MAILING = {
  transaction: false,
  waits: true,
  concurrency: 10,
  concurrency_of_tenant: 5,
  // The server has a minute for a mail.
  timeout_seconds: 120,
  retries: ATTEMPTS - 1,
  retry_delay_seconds: 15,
} as const

/** Mails an escalation to a technician. */
export const sendEscalationMail = tenantJob({
  ...SEND_MAIL,
  ...MAILING,
  handler: sendMail,
  onGivenUp: giveUpMail,
})

/** Mails a support request to the operator of the service. */
export const mailSupport = tenantJob({
  ...MAIL_SUPPORT_REQUEST,
  ...MAILING,
  handler: mailSupportRequest,
})

/** Deletes the support requests that are closed and no longer kept. */
export const deleteOldSupportRequests = retentionJob({
  name: 'escalation.delete_old_support_requests',
  table: 'support_request',
  time: 'created_at',
  days: 400,
  where: `status = 'CLOSED'`,
})

/** Deletes the escalations that are no longer kept. */
export const deleteOldEscalations = retentionJob({
  name: 'escalation.delete_old_events',
  table: 'escalation_event',
  time: 'created_at',
  days: 400,
})
