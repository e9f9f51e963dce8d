/** The port to the mail server of the service. */

/** A mail in plain text, to one address. */
export interface Mail {
  to: string
  subject: string
  text: string
  /** The Message-ID up to its `@`: letters, digits, `.`, `_` and `-`. Another attempt at the mail has the same one. */
  message_id: string
}

/** The part of a mail that a server refuses for good: its recipient, at RCPT TO, or what it says. */
export type RefusedPart = 'ADDRESS' | 'CONTENT'

/**
 * The fate of a mail. TAKEN: the server has it. GIVEN_UP: it was not wanted any more. REFUSED: the server takes it neither
 * now nor later. NOT_SENT: the server has nothing of it, and may take it later. UNKNOWN: the connection broke after the
 * content began, so the server may have it.
 */
export type MailOutcome =
  | { outcome: 'TAKEN' | 'GIVEN_UP' }
  | { outcome: 'REFUSED'; refused: RefusedPart; reason: string }
  | {
      outcome: 'NOT_SENT' | 'UNKNOWN'
      /** In words of the service: it has nothing of the mail, of the server’s answer or of the password. */
      reason: string
    }

/**
 * Sends the mail once. `beforeData` is awaited once the server has agreed to take the mail, and has nothing of it yet; it
 * answers false to give the mail up. Rejects with the error of `beforeData` alone: nothing was sent then.
 */
type SendMail = (mail: Mail, beforeData: () => Promise<boolean>) => Promise<MailOutcome>

/** The mail server that is configured. */
export interface Mailer {
  send: SendMail
}
