/** Mail servers on the loopback interface. */
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A mail that a server took. */
export interface TakenMail {
  from: string
  to: string[]
  /** The headers, unfolded, by their names in small letters. */
  headers: Record<string, string>
  /** The text, decoded. */
  text: string
  secure: boolean
}

type Awaitable = void | Promise<void>

interface Manner {
  /** It says nothing to who connects. */
  silent?: boolean
  /** The status with which it refuses the sender, the recipient or the whole mail. */
  refuses?: { at: 'MAIL' | 'RCPT' | 'DATA'; status: number }
  /** Awaited before it answers to the recipient. */
  onRecipient?(): Awaitable
  /** Awaited with a whole mail, before it answers. */
  onMail?(mail: TakenMail): Awaitable
  /** It ends the connection instead of the answer to a whole mail, which it keeps. */
  breaks_off?: boolean
}

export interface MailServer {
  /** `SMTP_URL` without credentials. */
  url: string
  /** The mails that it took, and those to which it did not answer. */
  mails: TakenMail[]
  /** The logins that it saw. */
  logins: { user: string; pass: string; secure: boolean }[]
  /** The connections that it saw. */
  connections(): number
  /** It behaves so from now on. */
  behaves(manner: Manner): void
  /** Starts it again at the same port, after `stop`. */
  start(): Promise<void>
  stop(): Promise<void>
}

interface Options {
  /** The one user and password that it takes; null: it takes anybody. */
  login?: { user: string; pass: string } | null
  /** PLAIN: it has no TLS. STARTTLS: it offers it. TLS: from the first byte. */
  tls?: 'PLAIN' | 'STARTTLS' | 'TLS'
  key?: string
  cert?: string
}

const HOST = '127.0.0.1'

const refusal = (status: number): Error =>
  Object.assign(new Error('hunter2 is what you have sent'), { responseCode: status })

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replaceAll(/=\r\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString('utf8')

const decodedBy: Record<string, (text: string) => string> = {
  'quoted-printable': quotedPrintable,
  base64: (text) => Buffer.from(text, 'base64').toString('utf8'),
}

function parsed(raw: string): Pick<TakenMail, 'headers' | 'text'> {
  const [head = '', ...body] = raw.split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ')
      return [name.toLowerCase(), value.join(': ')]
    }),
  )
  const decode = decodedBy[headers['content-transfer-encoding'] ?? '']
  const encoded = body.join('\r\n\r\n')
  return { headers, text: (decode?.(encoded) ?? encoded).replaceAll('\r\n', '\n').trimEnd() }
}

/** Starts a server, which ends with the test unless `lasts`. */
export async function startMailServer(
  { login = null, tls = 'PLAIN', key, cert }: Options = {},
  { lasts = false } = {},
): Promise<MailServer> {
  let manner: Manner = {}
  let connections = 0
  let port = 0
  let server: SMTPServer
  const mails: TakenMail[] = []
  const logins: MailServer['logins'] = []
  const refusedAt = (step: string): Error | null =>
    manner.refuses?.at === step ? refusal(manner.refuses.status) : null
  const breakOff = () => {
    for (const connection of server.connections)
      (connection as unknown as { _socket: { destroy(): void } })._socket.destroy()
  }

  async function start(): Promise<void> {
    server = new SMTPServer({
      ...(tls === 'PLAIN' ? { disabledCommands: ['STARTTLS'] } : { key, cert }),
      secure: tls === 'TLS',
      authOptional: login === null,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      logger: false,
      onConnect(_session, done) {
        connections++
        if (!manner.silent) done()
      },
      onAuth({ username, password }, { secure }, done) {
        const sent = { user: username ?? '', pass: password ?? '' }
        logins.push({ ...sent, secure })
        if (sent.user === login?.user && sent.pass === login.pass) done(null, { user: sent.user })
        else done(refusal(535))
      },
      onMailFrom: (_address, _session, done) => done(refusedAt('MAIL')),
      onRcptTo(_address, _session, done) {
        void Promise.resolve(manner.onRecipient?.()).then(() => done(refusedAt('RCPT')))
      },
      onData(stream, { envelope, secure }, done) {
        const take = async (raw: string): Promise<void> => {
          const mail = {
            from: envelope.mailFrom ? envelope.mailFrom.address : '',
            to: envelope.rcptTo.map(({ address }) => address),
            ...parsed(raw),
            secure,
          }
          const refused = refusedAt('DATA')
          if (!refused) mails.push(mail)
          await manner.onMail?.(mail)
          if (manner.breaks_off) breakOff()
          else done(refused)
        }
        // A connection that ends before the end of its mail brought none.
        void text(stream).then(take, () => {})
      },
    })
    // A client that ends its connection is no failure of the server.
    server.on('error', () => {})
    const listening = server.listen(port, HOST)
    await new Promise<void>((resolve) => listening.once('listening', resolve))
    port = (listening.address() as AddressInfo).port
  }

  async function stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(resolve))
    breakOff()
    await closed
  }

  await start()
  if (!lasts) onTestFinished(stop)
  return {
    url: `${tls === 'TLS' ? 'smtps' : 'smtp'}://${HOST}:${port}`,
    mails,
    logins,
    connections: () => connections,
    behaves: (other) => {
      manner = other
    },
    start,
    stop,
  }
}
