/** The mail server’s adapter: what became of a mail, whatever the server does. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { Mail } from '../../src/connectors/mail.ts'
import { createMailer } from '../../src/connectors/smtp/mailer.ts'
import { mailServerOf } from '../../src/lib/mail-server.ts'
import { freePort } from '../setup/free-port.ts'
import { startMailServer } from '../setup/smtp.ts'
import { until } from '../setup/until.ts'
import { KEY, VALID } from './http/certificates.ts'

const PASSWORD = 'hunter2 & co'
const LOGIN = { user: 'robot@mail.example', pass: PASSWORD }
const MAIL: Mail = { to: 'ada@msp.example', subject: 'Hello', text: 'A line', message_id: 'esc_1.1.5' }
/** Of servers that do not answer. Others have the time that they have in production. */
const QUICK = { connect: 500, greeting: 300, silence: 500, whole: 2_000 }

const withLogin = (url: string, { user, pass } = LOGIN) =>
  url.replace('://', `://${encodeURIComponent(user)}:${encodeURIComponent(pass)}@`)

type Options = Partial<Parameters<typeof createMailer>[0]>

function mailerAt(url: string, options: Options = {}) {
  const server = mailServerOf(url)
  if (typeof server === 'string') throw new Error(server)
  const now = () => new Date('2026-11-27T10:00:00Z')
  return createMailer({ server, from: 'service@mail.example', now, ...options })
}

const yes = async () => true

/** Sends the mail to the server at the URL. */
const send = (url: string, mail: Partial<Mail> = {}, beforeData = yes, options: Options = {}) =>
  mailerAt(url, options).send({ ...MAIL, ...mail }, beforeData)

describe('a mail', () => {
  it('is taken with its headers and its text', async () => {
    const server = await startMailServer()
    const text = 'Grüße aus Köln\n\n.\n.. dots\nFrom here 日本'
    expect(await send(server.url, { subject: 'Café (ticket 7)', text })).toEqual({ outcome: 'TAKEN' })
    expect(server.mails).toHaveLength(1)
    expect(server.mails[0]).toMatchObject({ from: 'service@mail.example', to: [MAIL.to], text })
    expect(server.mails[0]?.headers).toMatchObject({
      from: 'service@mail.example',
      to: MAIL.to,
      subject: '=?UTF-8?Q?Caf=C3=A9_=28ticket_7=29?=',
      'message-id': '<esc_1.1.5@mail.example>',
      'auto-submitted': 'auto-generated',
      date: 'Fri, 27 Nov 2026 10:00:00 +0000',
      'content-type': 'text/plain; charset=utf-8',
    })
  })

  it('begins once the caller has agreed, and before the server has anything of it', async () => {
    const server = await startMailServer()
    const taken_before: number[] = []
    const agree = async () => {
      await sleep(50)
      taken_before.push(server.mails.length)
      return true
    }
    expect(await send(server.url, {}, agree)).toEqual({ outcome: 'TAKEN' })
    expect(taken_before).toEqual([0])
  })

  it('is given up if the caller does not agree', async () => {
    const server = await startMailServer()
    expect(await send(server.url, {}, async () => false)).toEqual({ outcome: 'GIVEN_UP' })
    await server.stop()
    expect(server.mails).toEqual([])
    await server.start()
  })

  it('is not sent if the caller fails, whose error is thrown as it is', async () => {
    const server = await startMailServer()
    const error = Object.assign(new Error('The database is away'), { code: '57P01' })
    const failing = () => Promise.reject(error)
    await expect(send(server.url, {}, failing)).rejects.toBe(error)
    expect(error.code).toBe('57P01')
    await server.stop()
    expect(server.mails).toEqual([])
    await server.start()
  })

  it('is not sent if the connection breaks while the caller is asked', async () => {
    const server = await startMailServer()
    const slow = async () => {
      await sleep(300)
      return true
    }
    const times = { ...QUICK, whole: 100 }
    expect(await send(server.url, {}, slow, { times })).toMatchObject({ outcome: 'NOT_SENT' })
    await server.stop()
    expect(server.mails).toEqual([])
    await server.start()
  })
})

describe('the server', () => {
  test.each([
    ['RCPT', 550, { outcome: 'REFUSED', refused: 'ADDRESS' }, 'The mail server answered 550 to RCPT TO'],
    ['RCPT', 450, { outcome: 'NOT_SENT' }, 'The mail server answered 450 to RCPT TO'],
    ['DATA', 554, { outcome: 'REFUSED', refused: 'CONTENT' }, 'The mail server answered 554 to DATA'],
    ['DATA', 451, { outcome: 'NOT_SENT' }, 'The mail server answered 451 to DATA'],
    ['MAIL', 550, { outcome: 'NOT_SENT' }, 'The mail server answered 550 to MAIL FROM'],
    ['MAIL', 421, { outcome: 'NOT_SENT' }, 'The mail server answered 421 to MAIL FROM'],
  ] as const)('that answers to %s with %i has the mail %j', async (at, status, fate, reason) => {
    const server = await startMailServer()
    server.behaves({ refuses: { at, status } })
    const asked = vi.fn(yes)
    expect(await send(server.url, {}, asked)).toEqual({ ...fate, reason })
    expect(asked).toHaveBeenCalledTimes(at === 'DATA' ? 1 : 0)
    expect(server.mails).toEqual([])
  })

  it('that breaks off after the content may have the mail', async () => {
    const server = await startMailServer()
    server.behaves({ breaks_off: true })
    expect(await send(server.url)).toMatchObject({ outcome: 'UNKNOWN' })
  })

  it('that does not answer to the content may have the mail', async () => {
    const server = await startMailServer()
    server.behaves({ onMail: () => new Promise(() => {}) })
    const times = { silence: 2_000 }
    expect(await send(server.url, {}, yes, { times })).toEqual({
      outcome: 'UNKNOWN',
      reason: 'The mail server could not be spoken with (ETIMEDOUT)',
    })
  })

  it('that is away has nothing', async () => {
    expect(await send(`smtp://127.0.0.1:${await freePort()}`)).toEqual({
      outcome: 'NOT_SENT',
      reason: 'The mail server could not be spoken with (ECONNREFUSED)',
    })
  })

  it('that says nothing has nothing', async () => {
    const server = await startMailServer()
    server.behaves({ silent: true })
    expect(await send(server.url, {}, yes, { times: QUICK })).toEqual({
      outcome: 'NOT_SENT',
      reason: 'The mail server could not be spoken with (ETIMEDOUT)',
    })
  })

  it('that is slow at each step is left after the whole time', async () => {
    const server = await startMailServer()
    server.behaves({ onRecipient: () => new Promise(() => {}) })
    const times = { ...QUICK, silence: 20_000, whole: 300 }
    expect(await send(server.url, {}, yes, { times })).toMatchObject({ outcome: 'NOT_SENT' })
  })
})

describe('the login', () => {
  it('is that of the URL', async () => {
    const server = await startMailServer({ login: LOGIN })
    expect(await send(withLogin(server.url))).toEqual({ outcome: 'TAKEN' })
    expect(server.logins).toEqual([{ ...LOGIN, secure: false }])
  })

  it('that is refused lets the mail be tried again, and its password is in no reason', async () => {
    const server = await startMailServer({ login: { ...LOGIN, pass: 'another' } })
    const asked = vi.fn(yes)
    const outcome = await send(withLogin(server.url), {}, asked)
    expect(outcome).toEqual({ outcome: 'NOT_SENT', reason: 'The mail server answered 535 to AUTH PLAIN' })
    expect(JSON.stringify(outcome)).not.toContain('hunter2')
    expect(asked).not.toHaveBeenCalled()
  })

  it('that is lacking lets the mail be tried again', async () => {
    const server = await startMailServer({ login: LOGIN })
    expect(await send(server.url)).toMatchObject({ outcome: 'NOT_SENT' })
  })
})

describe('TLS', () => {
  const SECURED = { key: KEY, cert: VALID, login: LOGIN }
  const trusted: Options = { tls: { ca: VALID, servername: 'receiver.example' } }

  test.each(['STARTTLS', 'TLS'] as const)('protects the login and the mail by %s', async (tls) => {
    const server = await startMailServer({ ...SECURED, tls })
    expect(await send(withLogin(server.url), {}, yes, trusted)).toEqual({ outcome: 'TAKEN' })
    expect(server.logins).toEqual([{ ...LOGIN, secure: true }])
    expect(server.mails).toMatchObject([{ secure: true }])
  })

  test.each(['STARTTLS', 'TLS'] as const)('by %s of a server that nobody vouches for fails', async (tls) => {
    const server = await startMailServer({ ...SECURED, tls })
    expect(await send(withLogin(server.url))).toMatchObject({ outcome: 'NOT_SENT' })
    expect(server.logins).toEqual([])
  })

  it('that is required and not offered fails before the login', async () => {
    const server = await startMailServer({ login: LOGIN })
    expect(await send(`${withLogin(server.url)}?requireTLS=true`)).toMatchObject({ outcome: 'NOT_SENT' })
    expect(server.logins).toEqual([])
    expect(await send(`${withLogin(server.url)}?requireTLS=false`)).toMatchObject({ outcome: 'TAKEN' })
  })
})

describe('what comes from others', () => {
  test.each([
    'ada@msp.example\r\nBcc: eve@evil.example',
    'ada@msp.example>\r\nRCPT TO:<eve@evil.example',
    'ada@msp.example, eve@evil.example',
    'ada@msp.example eve@evil.example',
    '"ada\r\n"@msp.example',
    'Ada <ada@msp.example>',
    'ada',
    '@msp.example',
    'ada@',
    '',
  ])('is no address: %j', async (to) => {
    const server = await startMailServer()
    expect(await send(server.url, { to })).toEqual({
      outcome: 'REFUSED',
      refused: 'ADDRESS',
      reason: 'The address is none',
    })
    expect(server.connections()).toBe(0)
  })

  it('adds no header and no mail', async () => {
    const server = await startMailServer()
    const subject = 'One\r\nBcc: eve@evil.example\r\n\r\nTwo\u2028Three'
    const text = 'One\r\n.\r\nMAIL FROM:<eve@evil.example>\r\n.\n.\rTwo'
    expect(await send(server.url, { subject, text })).toEqual({ outcome: 'TAKEN' })
    expect(server.mails).toHaveLength(1)
    const [mail] = server.mails
    expect(mail?.to).toEqual([MAIL.to])
    expect(mail?.headers.bcc).toBeUndefined()
    expect(mail?.headers.subject).toContain('One Bcc: eve@evil.example Two')
    await expect(send(server.url, { message_id: 'a>\r\nBcc: b' })).rejects.toThrow('The Message-ID')
  })

  it('is an address with a domain in other letters', async () => {
    const server = await startMailServer()
    expect(await send(server.url, { to: ' ada@bücher.example ' })).toEqual({ outcome: 'TAKEN' })
    expect(server.mails[0]?.headers.to).toBe('ada@xn--bcher-kva.example')
  })
})

describe('the configuration', () => {
  const read = (env: Record<string, string>) => {
    const { SMTP_URL, MAIL_FROM, SUPPORT_EMAIL } = readConfig(env)
    return { SMTP_URL, MAIL_FROM, SUPPORT_EMAIL }
  }
  const MAIL_FROM = 'service@mail.example'

  it('names the server', () => {
    const SMTP_URL = 'smtps://robot%40x:p%3Aw@[::1]:4650'
    expect(read({ SMTP_URL, MAIL_FROM, SUPPORT_EMAIL: 'help@operator.example' })).toEqual({
      SMTP_URL: {
        host: '::1',
        port: 4650,
        secure: true,
        require_tls: true,
        credentials: { user: 'robot@x', pass: 'p:w' },
      },
      MAIL_FROM,
      SUPPORT_EMAIL: 'help@operator.example',
    })
    expect(read({ SMTP_URL: 'smtp://mail.example?requireTLS=true', MAIL_FROM }).SMTP_URL).toEqual({
      host: 'mail.example',
      port: null,
      secure: false,
      require_tls: true,
      credentials: null,
    })
    expect(read({ SMTP_URL: 'smtp://mail.example', MAIL_FROM }).SMTP_URL).toMatchObject({
      require_tls: false,
    })
  })

  test.each([
    ['smtp://robot:pw@mail.example', true],
    ['smtp://robot:pw@mail.example?requireTLS=false', false],
    ['smtp://robot:pw@127.0.0.1:25', false],
  ])(
    'demands TLS for a password that leaves the machine, unless it says otherwise: %s',
    (SMTP_URL, require_tls) => {
      expect(read({ SMTP_URL, MAIL_FROM }).SMTP_URL).toMatchObject({ require_tls })
    },
  )

  test.each([
    [{ SMTP_URL: 'smtp://mail.example' }, 'SMTP_URL and MAIL_FROM: set both or none'],
    [{ MAIL_FROM }, 'SMTP_URL and MAIL_FROM: set both or none'],
    [{ SMTP_URL: 'http://robot:hunter2@mail.example', MAIL_FROM }, 'SMTP_URL: must be an address'],
    [{ SMTP_URL: 'robot:hunter2@mail.example', MAIL_FROM }, 'SMTP_URL: must be an address'],
    [{ SMTP_URL: 'smtp://robot:hunter2%@mail.example', MAIL_FROM }, 'SMTP_URL: must have its user'],
    [{ SMTP_URL: 'smtp://hunter2@mail.example', MAIL_FROM }, 'SMTP_URL: must hold both'],
    [{ SMTP_URL: 'smtp://mail.example/hunter2', MAIL_FROM }, 'SMTP_URL: must have no path'],
    [
      { SMTP_URL: 'smtp://mail.example?tls=hunter2', MAIL_FROM },
      'SMTP_URL: has the parameter requireTLS alone',
    ],
    [{ SMTP_URL: 'smtp://mail.example?requireTLS=hunter2', MAIL_FROM }, 'SMTP_URL: has the parameter'],
    [
      { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a\nb@x.example' },
      'MAIL_FROM: must be an e-mail address',
    ],
    [{ SUPPORT_EMAIL: 'help' }, 'SUPPORT_EMAIL: must be an e-mail address'],
  ])('is refused without showing its values: %j', (env, problem) => {
    const reading = () => read(env)
    expect(reading).toThrow(problem)
    expect(reading).not.toThrow('hunter2')
  })
})

test('a server that is silent holds no mail of another call', async () => {
  const [silent, other] = [await startMailServer(), await startMailServer()]
  silent.behaves({ silent: true })
  const waiting = send(silent.url)
  await until(() => silent.connections() === 1)
  expect(await send(other.url)).toEqual({ outcome: 'TAKEN' })
  await silent.stop()
  expect(await waiting).toMatchObject({ outcome: 'NOT_SENT' })
  await silent.start()
})
