/** Mails of rows, each sent once: a mail that may have gone is never sent again. */
import type { Mail, Mailer, RefusedPart } from './mail.ts'

/** The row of a mail, which holds when its mail began and when it was sent. Each call is one statement. */
export interface MailedRow {
  /** Stores that the mail begins. False: it began in another attempt, or it is not wanted any more. */
  begin(at: Date): Promise<boolean>
  /** Stores that the mail was sent. */
  sent(at: Date): Promise<unknown>
  /** Takes back that the mail began then: the server has nothing of it. */
  unsent(began_at: Date): Promise<unknown>
  /** Stores that nobody knows whether the mail, which began then, was sent. Without it such a mail counts as sent. */
  unknown?(began_at: Date): Promise<unknown>
  /** Stores the part of the mail that the server refused for good. */
  refused?(part: RefusedPart): Promise<unknown>
}

interface MailContext {
  log: { warn(about: object, text: string): void }
  services: { now(): Date }
}

/** The server did not take the mail, and may take it later. */
export class MailNotSent extends Error {}

/**
 * Sends the mail once. No connection and no transaction of the database waits for the server. Throws a MailNotSent if the
 * mail is to be tried again.
 */
export async function mailOnce(
  ctx: MailContext,
  mailer: Mailer,
  row: MailedRow,
  mail: Mail,
): Promise<'SENT' | 'GIVEN_UP' | 'REFUSED' | 'UNKNOWN'> {
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
      if (row.unknown) {
        await row.unknown(began_at ?? now())
        return 'UNKNOWN'
      }
      await row.sent(began_at ?? now())
      return 'SENT'
    case 'GIVEN_UP':
      return 'GIVEN_UP'
    case 'REFUSED':
      await takeBack()
      await row.refused?.(answer.refused)
      return 'REFUSED'
    case 'NOT_SENT':
      await takeBack()
      throw new MailNotSent(answer.reason)
  }
}
