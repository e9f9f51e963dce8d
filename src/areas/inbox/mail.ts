/** Mails of items to their users: each once, at most one an hour of an item, and none of what the user has read. */
import { type MailedRow, MailNotSent, mailOnce } from '../../connectors/mailing.ts'
import { scoped, sql } from '../../db/db.ts'
import type { JobContext, UnboundJobContext } from '../../jobs/job.ts'
import type { Row } from '../../schema/models.ts'
import { tenantName } from '../tenant/index.ts'
import { MAILED_AGAIN } from './store.ts'

/** Attempts at one mail: an hour of them. */
export const ATTEMPTS = 9

interface MailPayload {
  item_id: string
  /** The instant at which the mail was asked for: a later one has another job. */
  asked_at: string
}

type Item = Pick<Row<'InboxItem'>, 'title' | 'body' | 'occurrence_count' | 'first_at' | 'mail_began_at'> & {
  email: string
}

const OF_MAIL = `i.tenant_id = $1 and i.environment = $2 and i.id = $3::text and i.mail_asked_at = $4::timestamptz`

const READ = scoped(
  'inbox.mail',
  `select i.title, i.body, i.occurrence_count, i.first_at, i.mail_began_at, u.email from inbox_item i
   join tenant_user u on u.tenant_id = i.tenant_id and u.environment = i.environment and u.id = i.user_id
   where ${OF_MAIL} and (i.mail_began_at is not null or i.state = 'UNREAD' and not i.resolved)`,
)

const BEGIN = scoped(
  'inbox.begin_mail',
  `update inbox_item i set mail_began_at = $5::timestamptz
   where ${OF_MAIL} and i.mail_began_at is null and i.state = 'UNREAD' and not i.resolved
     and (i.last_mailed_at is null or i.last_mailed_at <= $5::timestamptz - ${MAILED_AGAIN})
   returning i.id`,
)

const SENT = scoped(
  'inbox.mail_sent',
  `update inbox_item i set mail_began_at = null, last_mailed_at = $5::timestamptz where ${OF_MAIL}`,
)

const UNSENT = scoped(
  'inbox.mail_unsent',
  `update inbox_item i set mail_began_at = null
   where ${OF_MAIL} and i.mail_began_at = $5::timestamptz`,
)

const END = scoped(
  'inbox.end_mail',
  `update inbox_item i set last_mailed_at = i.mail_began_at, mail_began_at = null
   where ${OF_MAIL} and i.mail_began_at is not null`,
)

function textOf({ body, occurrence_count, first_at }: Item, tenant: string | undefined): string {
  const happened =
    occurrence_count > 1 ? `It happened ${occurrence_count} times since ${first_at.toISOString()}.` : null
  const lines = [body, happened, `It is in your inbox${tenant === undefined ? '' : ` of ${tenant}`}.`]
  return lines.filter((line) => line !== null).join('\n\n')
}

/** Mails the item, unless the mail may have gone already, or the user has read the item meanwhile. */
export async function mailItem(ctx: UnboundJobContext, { item_id, asked_at }: MailPayload): Promise<void> {
  const { mail: mailer } = ctx.services
  const key = [item_id, asked_at]
  const [item] = await sql<Item>(ctx, READ, key)
  if (!item) return
  // A worker was lost after the mail had begun.
  if (item.mail_began_at) return await giveUpMail(ctx, { item_id, asked_at })
  if (!mailer) return
  const row: MailedRow = {
    begin: async (at) => (await sql(ctx, BEGIN, [...key, at])).length > 0,
    sent: (at) => sql(ctx, SENT, [...key, at]),
    unsent: (began_at) => sql(ctx, UNSENT, [...key, began_at]),
  }
  const mail = {
    to: item.email,
    subject: item.title,
    text: textOf(item, await tenantName(ctx)),
    message_id: `${item_id}.${Date.parse(asked_at)}`,
  }
  try {
    await mailOnce(ctx, mailer, row, mail)
  } catch (error) {
    if (!(error instanceof MailNotSent) || ctx.attempt < ATTEMPTS) throw error
    ctx.log.warn({ item_id }, 'a mail of an item was given up')
  }
}

/** Ends the mail of a job that is given up: a mail that began may have gone. */
export async function giveUpMail(ctx: JobContext, { item_id, asked_at }: MailPayload): Promise<void> {
  await sql(ctx, END, [item_id, asked_at])
}
