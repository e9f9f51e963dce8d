/** Mails of steps to technicians, each once, and none after a person has taken the escalation over. */

import { MailNotSent, mailOnce } from '../../connectors/mailing.ts'
import { psaOf } from '../../connectors/psa.ts'
import { scoped, sql } from '../../db/db.ts'
import { ApiError } from '../../errors/errors.ts'
import { JobReleased } from '../../jobs/attempt.ts'
import type { JobContext, UnboundJobContext } from '../../jobs/job.ts'
import { agentName } from '../agents/index.ts'
import { psaIdOf } from '../technicians/index.ts'
import { emailOfTechnician } from '../tenant/index.ts'
import type { EscalationRow } from './escalation-event.ts'
import { messageOf } from './message.ts'

/** Attempts at one mail. */
export const ATTEMPTS = 9

/** The notification that a mail is of. */
export interface MailPayload {
  event_id: string
  step: number
  target_id: string
}

/** The code of the reason why a technician cannot be told by mail. */
type Failure =
  | 'not_needed'
  | 'no_address'
  | 'email_not_configured'
  | 'address_refused'
  | 'server_unreachable'
  | 'upstream_unavailable'
  | 'internal_error'

interface Notified extends EscalationRow {
  agent_name: string | null
  technician_id: number | null
  began_at: Date | null
}

const OF_MAIL = `n.tenant_id = $1 and n.environment = $2 and n.event_id = $3::text and n.step = $4::int
  and n.target_id = $5::text and n.via = 'EMAIL'`

/** A notification that has not come to its end. */
const OPEN = `${OF_MAIL} and n.at is null and n.error_code is null`

const READ = scoped(
  'escalation.mail',
  `select v.*, ${agentName('v')} as agent_name, n.technician_id, n.began_at
   from escalation_notification n
   join escalation_event v on v.tenant_id = n.tenant_id and v.environment = n.environment and v.id = n.event_id
   where ${OPEN}`,
)

// The escalation is locked, as an acknowledgement locks it: the one that comes first is done, and the other one sees it.
const BEGIN = scoped(
  'escalation.begin_mail',
  `with open as (
     select v.id from escalation_event v
     where v.tenant_id = $1 and v.environment = $2 and v.id = $3::text and v.status = 'OPEN' for share
   )
   update escalation_notification n set began_at = $6::timestamptz from open
   where ${OPEN} and n.began_at is null and n.event_id = open.id
   returning n.began_at`,
)

const SENT = scoped(
  'escalation.mail_sent',
  `update escalation_notification n set at = $6::timestamptz where ${OPEN}`,
)

const UNSENT = scoped(
  'escalation.mail_unsent',
  `update escalation_notification n set began_at = null
   where ${OPEN} and n.began_at = $6::timestamptz`,
)

// A mail that began belongs to its attempt, which ends it.
const FAIL = scoped(
  'escalation.fail_mail',
  `update escalation_notification n set error_code = $6::text where ${OPEN} and n.began_at is null`,
)

// A mail that began may have gone: its technician was told then.
const END = scoped(
  'escalation.end_mail',
  `update escalation_notification n
   set at = n.began_at, error_code = case when n.began_at is null then $6::text end where ${OPEN}`,
)

const end = (ctx: JobContext, { event_id, step, target_id }: MailPayload, failure: Failure) =>
  sql(ctx, END, [event_id, step, target_id, failure])

/** The address of the technician: of the user who it is, or as the PSA has it. null: it has none. */
async function addressOf(ctx: JobContext, technician_id: number): Promise<string | null> {
  const psa_id = await psaIdOf(ctx, technician_id)
  if (psa_id === null) return null
  const email = await emailOfTechnician(ctx, technician_id)
  return email ?? (await psaOf(ctx).technician(psa_id))?.email ?? null
}

/** The reason why the mail is not sent; null: it was sent. */
async function send(ctx: UnboundJobContext, payload: MailPayload, told: Notified): Promise<Failure | null> {
  const { mail: mailer } = ctx.services
  const key = [payload.event_id, payload.step, payload.target_id]
  if (told.status !== 'OPEN') return 'not_needed'
  if (!mailer) return 'email_not_configured'
  const to = told.technician_id === null ? null : await addressOf(ctx, told.technician_id)
  if (to === null) return 'no_address'
  const row = {
    begin: async (at: Date) => (await sql(ctx, BEGIN, [...key, at])).length > 0,
    sent: (at: Date) => sql(ctx, SENT, [...key, at]),
    unsent: (began_at: Date) => sql(ctx, UNSENT, [...key, began_at]),
  }
  const sent = await mailOnce(ctx, mailer, row, { to, ...messageOf(told), message_id: key.join('.') })
  if (sent === 'GIVEN_UP') return 'not_needed'
  return sent === 'REFUSED' ? 'address_refused' : null
}

function failureOf(error: unknown): Failure {
  if (error instanceof MailNotSent) return 'server_unreachable'
  return error instanceof ApiError && error.code === 'upstream_unavailable'
    ? 'upstream_unavailable'
    : 'internal_error'
}

/** Mails the escalation to the technician, unless the mail may have gone already or is not needed any more. */
export async function sendMail(ctx: UnboundJobContext, payload: MailPayload): Promise<void> {
  const { event_id, step, target_id } = payload
  const [told] = await sql<Notified>(ctx, READ, [event_id, step, target_id])
  if (!told) return
  // A worker was lost after the mail had begun.
  if (told.began_at) return await giveUpMail(ctx, payload)
  try {
    const failure = await send(ctx, payload, told)
    if (failure) await sql(ctx, FAIL, [event_id, step, target_id, failure])
  } catch (error) {
    const is_released = ctx.signal.reason instanceof JobReleased
    if (ctx.attempt >= ATTEMPTS && !is_released) await end(ctx, payload, failureOf(error))
    throw error
  }
}

/** Ends the notification of a job that is given up. */
export async function giveUpMail(ctx: JobContext, payload: MailPayload): Promise<void> {
  await end(ctx, payload, 'internal_error')
}
