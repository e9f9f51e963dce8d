/** Mails of support requests to the operator, each once. */
import type { Mail } from '../../../connectors/mail.ts'
import { mailOnce } from '../../../connectors/mailing.ts'
import { type DatabaseContext, db, scoped, sql, tenancyOf } from '../../../db/db.ts'
import { redact } from '../../../gateway/redact.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import { reportOf } from '../../executions/index.ts'
import { tenantName } from '../../tenant/index.ts'
import type { SupportRequestRow } from './support-request.ts'

const OF_REQUEST = 's.tenant_id = $1 and s.environment = $2 and s.id = $3::text and s.sent_at is null'

const BEGIN = scoped(
  'escalation.begin_support_mail',
  `update support_request s set began_at = $4::timestamptz where ${OF_REQUEST} and s.began_at is null returning s.id`,
)

const SENT = scoped(
  'escalation.support_mail_sent',
  `update support_request s set sent_at = $4::timestamptz where ${OF_REQUEST}`,
)

const UNSENT = scoped(
  'escalation.support_mail_unsent',
  `update support_request s set began_at = null
   where ${OF_REQUEST} and s.began_at = $4::timestamptz`,
)

/** The lines about the execution, and what is wrong with it. */
async function aboutExecution(ctx: DatabaseContext, execution_id: string): Promise<string[]> {
  const report = await reportOf(ctx, execution_id)
  // Executions are kept for a time.
  if (!report) return [`Execution: ${execution_id}, which is not kept any more`]
  const { status, agent_id, agent_name, failure_kind, error } = report
  const failure = [failure_kind, error].filter((part) => part !== null)
  return [
    `Execution: ${execution_id} (${status})`,
    `Agent: ${agent_name} (${agent_id})`,
    ...(failure.length > 0 ? [`Error: ${failure.join(': ')}`] : []),
  ]
}

/** The words of the mail, without secrets. */
async function wordsOf(
  ctx: DatabaseContext,
  request: SupportRequestRow,
): Promise<Pick<Mail, 'subject' | 'text'>> {
  const { reference, summary, details, execution_id, conversation_id } = request
  const { tenant_id, environment } = tenancyOf(ctx)
  const name = (await tenantName(ctx)) ?? tenant_id
  const lines = [
    summary,
    '',
    details,
    '',
    `Reference: ${reference}`,
    `Tenant: ${name} (${tenant_id}, ${environment})`,
    `From: ${request.created_by_name}`,
    `Since: ${request.created_at.toISOString()}`,
    `Request of the API: ${request.request_id}`,
    ...(execution_id === null ? [] : await aboutExecution(ctx, execution_id)),
    ...(conversation_id === null ? [] : [`Conversation: ${conversation_id}`]),
    '',
    `Close it: npm run tenant -- close-support-request --reference ${reference}`,
  ]
  return { subject: `${reference} ${name}: ${summary}`, text: redact(lines.join('\n')) as string }
}

/**
 * Mails the request to the operator, unless the mail may have gone already. A failure of the last attempt makes the job a
 * dead letter, which the operator retries.
 */
export async function mailSupportRequest(
  ctx: UnboundJobContext,
  { support_request_id: id }: { support_request_id: string },
): Promise<void> {
  const { mail: mailer, support_email: to } = ctx.services
  const request = await db(ctx).supportRequest.findFirst({ where: { id, sent_at: null } })
  if (!request) return
  const sent = (at: Date) => sql(ctx, SENT, [id, at])
  // A worker was lost after the mail had begun: the operator may have it.
  if (request.began_at) return void (await sent(request.began_at))
  if (!mailer || to === null) throw new Error('SMTP_URL and SUPPORT_EMAIL are not set')
  const row = {
    begin: async (at: Date) => (await sql(ctx, BEGIN, [id, at])).length > 0,
    sent,
    unsent: (began_at: Date) => sql(ctx, UNSENT, [id, began_at]),
  }
  const mail = { to, ...(await wordsOf(ctx, request)), message_id: id }
  if ((await mailOnce(ctx, mailer, row, mail)) === 'REFUSED')
    throw new Error('The mail server refuses SUPPORT_EMAIL')
}
