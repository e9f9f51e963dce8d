/** Mails of rows, each sent once: a mail that may have gone is never sent again. */
import type { Mail, Mailer } from '../../connectors/mail.ts'
import type { UnboundJobContext } from '../../jobs/job.ts'

/** The row of a mail, which holds when its mail began and when it was sent. Each call is one statement. */
export interface MailedRow {
  /** Stores that the mail begins. False: it began in another attempt, or it is not wanted any more. */
  begin(at: Date): Promise<boolean>
  /** Stores that the mail was sent. */
  sent(at: Date): Promise<unknown>
  /** Takes back that the mail began then: the server has nothing of it. */
  unsent(began_at: Date): Promise<unknown>
}

/** The server did not take the mail, and may take it later. */
export class MailNotSent extends Error {}

/**
 * Sends the mail once. No connection and no transaction of the database waits for the server. Throws a MailNotSent if the
 * mail is to be tried again.
 */
export async function mailOnce(
  ctx: UnboundJobContext,
  mailer: Mailer,
  row: MailedRow,
  mail: Mail,
): Promise<'SENT' | 'GIVEN_UP' | 'REFUSED'> {
  const { now } = ctx.services
  let began_at: Date | null = null
  const takeBack = async () => {
    if (began_at) await row.unsent(began_at)
  }
  const sending = mailer.send(mail, () => {
    began_at = now()
    return row.begin(began_at)
  })
  const answer = await sending.catch(async (error: unknown) => {
    await takeBack()
    throw error
  })
  if ('reason' in answer)
    ctx.log.warn({ outcome: answer.outcome, reason: answer.reason }, 'a mail was not taken')
  switch (answer.outcome) {
    case 'TAKEN':
      await row.sent(now())
      return 'SENT'
    case 'UNKNOWN':
      await row.sent(began_at ?? now())
      return 'SENT'
    case 'GIVEN_UP':
      return 'GIVEN_UP'
    case 'REFUSED':
      await takeBack()
      return 'REFUSED'
    case 'NOT_SENT':
      await takeBack()
      throw new MailNotSent(answer.reason)
  }
}
