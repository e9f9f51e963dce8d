/** Sends mails by SMTP, each over a connection of its own. */
import { Readable } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type { MailServer } from '../../lib/mail-server.ts'
import type { Mailer, MailOutcome, RefusedPart } from '../mail.ts'
import { addressOf, messageOf } from './message.ts'

interface Options {
  server: MailServer
  /** The address that mails are from. */
  from: string
  now: () => Date
  /** Options of TLS, such as authorities beside those that the process trusts. */
  tls?: ConnectionOptions
  /** Milliseconds. */
  times?: Partial<typeof TIMES>
}

/** Milliseconds: to a connection, to the greeting, without a byte, and over all. */
const TIMES = { connect: 10_000, greeting: 10_000, silence: 30_000, whole: 60_000 }

/** The failure of a step of SMTP, as its client tells it. */
interface Failure extends Error {
  code?: string
  originalCode?: string
  responseCode?: number
  permanent?: boolean
  command?: string
}

const DEADLINE = Object.assign(new Error('Too slow'), { code: 'ETIMEDOUT' })

/** The failure without anything that the server has said. */
function reasonOf({ code, originalCode, responseCode, command }: Failure): string {
  if (responseCode !== undefined)
    return `The mail server answered ${responseCode} to ${command === 'CONN' ? 'the connection' : command}`
  return `The mail server could not be spoken with (${originalCode ?? code ?? 'no code'})`
}

// Contract silent: a refusal of the login or of the sender concerns the service, whose operator can help: it is no refusal of
// the mail.
/** The steps that concern one mail, with what of it each is about. */
const STEPS_OF_MAIL = new Map<string, RefusedPart>([
  ['RCPT TO', 'ADDRESS'],
  ['DATA', 'CONTENT'],
])

/** The part of the mail that is refused for good; undefined: none is. */
const refusedBy = ({ permanent, command = '' }: Failure): RefusedPart | undefined =>
  permanent === true ? STEPS_OF_MAIL.get(command) : undefined

const isAnswerToContent = ({ responseCode, command }: Failure): boolean =>
  responseCode !== undefined && command === 'DATA'

export function createMailer({ server, from, now, tls, times: given }: Options): Mailer {
  const times = { ...TIMES, ...given }
  const { host, port, secure, require_tls, credentials } = server

  return {
    async send(mail, beforeData): Promise<MailOutcome> {
      const to = addressOf(mail.to)
      if (to === null) return { outcome: 'REFUSED', refused: 'ADDRESS', reason: 'The address is none' }
      const message = await messageOf(mail, { from, to, date: now() })
      const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection')
      const connection = new SMTPConnection({
        host,
        ...(port !== null && { port }),
        secure,
        requireTLS: require_tls,
        connectionTimeout: times.connect,
        dnsTimeout: times.connect,
        greetingTimeout: times.greeting,
        socketTimeout: times.silence,
        // A connection that is given up ends at once, so that the server takes no part of the mail for the whole.
        socketCloseTimeout: 0,
        ...(tls && { tls }),
      })
      const broken = Promise.withResolvers<never>()
      broken.promise.catch(() => {})
      connection.on('error', broken.reject)
      const late = setTimeout(() => broken.reject(DEADLINE), times.whole)
      /** Resolves by the callback, and rejects by that or if the connection breaks. */
      const step = (begin: (done: (error?: Error | null) => void) => void): Promise<void> =>
        Promise.race([
          broken.promise,
          new Promise<void>((resolve, reject) => {
            begin((error) => (error ? reject(error) : resolve()))
          }),
        ])

      let is_over = false
      let has_begun = false
      let asked: Promise<boolean> | undefined
      /** Read once the server waits for the content. */
      async function* content() {
        asked = beforeData()
        if (!(await asked.catch(() => false))) throw new Error('The mail is given up')
        if (is_over) return
        has_begun = true
        yield message
      }

      try {
        await step((done) => connection.connect(done))
        if (credentials) await step((done) => connection.login({ credentials }, done))
        const size = message.length
        await step((done) => connection.send({ from, to: [to], size }, Readable.from(content()), done))
        connection.quit()
        return { outcome: 'TAKEN' }
      } catch (error) {
        is_over = true
        connection.close()
        const failure = error as Failure
        const reason = reasonOf(failure)
        // The answer to the content alone says that the server has nothing of it.
        if (has_begun && !isAnswerToContent(failure)) return { outcome: 'UNKNOWN', reason }
        if (asked && !(await asked)) return { outcome: 'GIVEN_UP' }
        const refused = refusedBy(failure)
        return refused ? { outcome: 'REFUSED', refused, reason } : { outcome: 'NOT_SENT', reason }
      } finally {
        clearTimeout(late)
      }
    },
  }
}
