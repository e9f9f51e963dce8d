/** Mails of messages end in one state, whatever the mail server does. */
import { inspect } from 'node:util'
import { afterEach, beforeAll, describe, expect, it, test } from 'vitest'
import { SEND_MAIL } from '../../../src/areas/comms/declared.ts'
import { deleteOldBounces } from '../../../src/areas/comms/jobs.ts'
import { createMailer } from '../../../src/connectors/smtp/mailer.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { mailServerOf } from '../../../src/lib/mail-server.ts'
import { KEY, VALID } from '../../connectors/http/certificates.ts'
import { clock, testApp } from '../../setup/app.ts'
import { addOutbound, messagesOf, writingMsp } from '../../setup/comms-writing.ts'
import { performDue } from '../../setup/connected.ts'
import { testDatabase } from '../../setup/database.ts'
import { enqueueFor, MAIL_FROM, servicesWith } from '../../setup/escalation-mails.ts'
import { overheard } from '../../setup/log.ts'
import { type MailServer, startMailServer } from '../../setup/smtp.ts'
import { days, type Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

const ID = 'cms_1'

interface Mailing {
  msp: Msp
  server: MailServer
  services: Services
  address: string
}

/** A tenant with a message that waits to be mailed, and its server, which has these times. */
async function mailing(
  message: object = {},
  times: Parameters<typeof servicesWith>[1] = {},
): Promise<Mailing> {
  const { msp, email: address } = await writingMsp()
  const server = await startMailServer()
  const services = await servicesWith(server.url, times)
  await addOutbound(msp, { id: ID, address, ...message })
  await enqueueFor(services, msp, SEND_MAIL, { message_id: ID })
  return { msp, server, services, address }
}

/** Does what is due; the failure of the attempt, and the message. */
async function perform({ services, msp }: Pick<Mailing, 'services' | 'msp'>, attempt = 1) {
  const failure: unknown = await performDue(services, msp, attempt).catch((error) => error)
  const [message] = await messagesOf(msp)
  return { failure, message }
}

const again = ({ services, msp }: Mailing) => enqueueFor(services, msp, SEND_MAIL, { message_id: ID })
const bouncesOf = ({ database, tenant_id }: Msp) =>
  database.prisma.commsBounce.findMany({ where: { tenant_id } })

describe('the mail of a message', () => {
  it('reaches its recipient with its words, under the id of the message', async () => {
    const at = await mailing({ subject: 'Grüße', body: 'Eine Zeile\nund noch eine' })
    const { message } = await perform(at)
    expect(at.server.mails).toMatchObject([
      {
        from: MAIL_FROM,
        to: [at.address],
        text: 'Eine Zeile\nund noch eine',
        headers: { 'message-id': `<${ID}@mail.example>`, subject: expect.stringContaining('Gr') },
      },
    ])
    expect(message).toMatchObject({ status: 'SENT', error: null, sent_at: expect.any(Date) })
  })

  it('whose address is refused for good is FAILED, and the address is known by it', async () => {
    const at = await mailing()
    at.server.behaves({ refuses: { at: 'RCPT', status: 550 } })
    const { message, failure } = await perform(at)
    expect(failure).toBeUndefined()
    expect(message).toMatchObject({
      status: 'FAILED',
      error: 'address_refused',
      began_at: null,
      sent_at: null,
    })
    expect(await bouncesOf(at.msp)).toMatchObject([{ address: at.address }])
  })

  it('to an address that was refused while it waited is SUPPRESSED, and the server is not asked', async () => {
    const at = await mailing()
    at.server.behaves({ refuses: { at: 'RCPT', status: 550 } })
    await addOutbound(at.msp, { id: 'cms_2', address: at.address.toUpperCase() })
    await enqueueFor(at.services, at.msp, SEND_MAIL, { message_id: 'cms_2' })
    await perform(at)
    expect((await messagesOf(at.msp)).map(({ status, error }) => [status, error]).toSorted()).toEqual([
      ['FAILED', 'address_refused'],
      ['SUPPRESSED', 'address_refused'],
    ])
    expect(at.server.connections()).toBe(1)
  })

  it('whose words are refused for good is FAILED, and the address gets others', async () => {
    const at = await mailing()
    at.server.behaves({ refuses: { at: 'DATA', status: 554 } })
    expect((await perform(at)).message).toMatchObject({
      status: 'FAILED',
      error: 'content_refused',
      began_at: null,
    })
    expect(await bouncesOf(at.msp)).toEqual([])
  })

  test.each([
    ['defers the recipient', { refuses: { at: 'RCPT', status: 450 } }],
    ['defers the mail', { refuses: { at: 'DATA', status: 451 } }],
    ['refuses the sender', { refuses: { at: 'MAIL', status: 550 } }],
    ['says nothing', { silent: true }],
  ] as const)('to a server that %s waits for an hour, and is FAILED then', async (_how, manner) => {
    const at = await mailing({}, 'silent' in manner ? { greeting: 300 } : {})
    at.server.behaves(manner)
    const first = await perform(at)
    expect(String(first.failure)).toContain('The mail server')
    expect(first.message).toMatchObject({ status: 'QUEUED', error: null, began_at: null })
    await again(at)
    const last = await perform(at, 9)
    expect(last.message).toMatchObject({ status: 'FAILED', error: 'server_unreachable', began_at: null })
    expect(at.server.mails).toEqual([])
    expect(await bouncesOf(at.msp)).toEqual([])
  })

  it('to a server that was away is sent once it is back', async () => {
    const at = await mailing()
    await at.server.stop()
    expect((await perform(at)).message).toMatchObject({ status: 'QUEUED' })
    await at.server.start()
    await again(at)
    expect((await perform(at, 2)).message).toMatchObject({ status: 'SENT' })
    expect(at.server.mails).toHaveLength(1)
  })

  it('of which nobody knows whether it arrived is FAILED, and not sent again by itself', async () => {
    const at = await mailing()
    at.server.behaves({ breaks_off: true })
    const { message, failure } = await perform(at)
    expect(failure).toBeUndefined()
    expect(message).toMatchObject({ status: 'FAILED', error: 'outcome_unknown', sent_at: null })
    await again(at)
    await perform(at)
    expect(at.server.mails).toHaveLength(1)
  })

  it('to a server that is too slow with its answer is FAILED as unknown', async () => {
    const at = await mailing({}, { silence: 2_000 })
    at.server.behaves({ onMail: () => new Promise(() => {}) })
    expect((await perform(at)).message).toMatchObject({ status: 'FAILED', error: 'outcome_unknown' })
  })

  it('whose worker was lost once it had begun is FAILED as unknown', async () => {
    const at = await mailing({ began_at: new Date('2026-11-27T09:00:00Z') })
    expect((await perform(at)).message).toMatchObject({ status: 'FAILED', error: 'outcome_unknown' })
    expect(at.server.connections()).toBe(0)
  })

  it.each([
    [1, 'QUEUED', null],
    [9, 'FAILED', 'outcome_unknown'],
  ])(
    'that another attempt began, which is lost then, does not wait for ever: attempt %i',
    async (attempt, status, error) => {
      const at = await mailing()
      const { prisma } = at.msp.database
      const where = { tenant_id: at.msp.tenant_id, id: ID }
      at.server.behaves({
        async onRecipient() {
          await prisma.commsMessage.updateMany({ where, data: { began_at: clock.now() } })
        },
      })
      const late = await perform(at, attempt)
      expect(String(late.failure)).toContain('Another attempt')
      expect(late.message).toMatchObject({ status, error })
      await again(at)
      expect((await perform(at, 2)).message).toMatchObject({ status: 'FAILED', error: 'outcome_unknown' })
      expect(at.server.mails).toEqual([])
    },
  )

  it('that was ended while the server was asked is not sent, and the attempt is over', async () => {
    const at = await mailing()
    const where = { tenant_id: at.msp.tenant_id, id: ID }
    const data = { status: 'FAILED', error: 'internal_error' } as const
    at.server.behaves({
      async onRecipient() {
        await at.msp.database.prisma.commsMessage.updateMany({ where, data })
      },
    })
    const { failure, message } = await perform(at)
    expect(failure).toBeUndefined()
    expect(message).toMatchObject(data)
    expect(at.server.mails).toEqual([])
  })

  it('of an attempt that was given up for lost is SENT if its server took it after all', async () => {
    const at = await mailing()
    at.server.behaves({
      async onMail() {
        await again(at)
        await performDue(at.services, at.msp)
        expect((await messagesOf(at.msp))[0]).toMatchObject({ status: 'FAILED', error: 'outcome_unknown' })
      },
    })
    expect((await perform(at)).message).toMatchObject({ status: 'SENT', error: null })
    expect(at.server.mails).toHaveLength(1)
  })

  it('is sent by one of two attempts at the same time', async () => {
    const at = await mailing()
    await again(at)
    // The one that is too late comes again as long as it does not know how the other one ended.
    await Promise.allSettled([performDue(at.services, at.msp), performDue(at.services, at.msp)])
    await perform(at)
    expect(at.server.mails).toHaveLength(1)
  })

  it('is none if the mail server was taken away meanwhile', async () => {
    const at = await mailing()
    const services = { ...at.services, mail: null }
    expect((await perform({ ...at, services })).message).toMatchObject({
      status: 'FAILED',
      error: 'email_not_configured',
    })
  })

  it('of a failure of the service itself is FAILED after the last attempt', async () => {
    const at = await mailing()
    const mail = { send: () => Promise.reject(new Error('The mailer is broken')) }
    const services = { ...at.services, mail }
    expect((await perform({ ...at, services }, 9)).message).toMatchObject({
      status: 'FAILED',
      error: 'internal_error',
    })
  })

  test.each(['STARTTLS', 'TLS'] as const)('goes over %s, with the login', async (tls) => {
    const { msp, email: address } = await writingMsp()
    const login = { user: 'robot', pass: 'hunter2' }
    const server = await startMailServer({ tls, login, key: KEY, cert: VALID })
    const place = mailServerOf(
      server.url.replace('://', '://robot:hunter2@').replace('127.0.0.1', 'localhost'),
    )
    if (typeof place === 'string') throw new Error(place)
    const { services } = (await testApp()).app
    const mail = createMailer({
      server: place,
      from: MAIL_FROM,
      now: clock.now,
      tls: { rejectUnauthorized: false },
    })
    await addOutbound(msp, { id: ID, address })
    const own = { ...services, mail }
    await enqueueFor(own, msp, SEND_MAIL, { message_id: ID })
    expect((await perform({ services: own, msp })).message).toMatchObject({ status: 'SENT' })
    expect(server.mails).toMatchObject([{ secure: true }])
    expect(server.logins).toEqual([{ ...login, secure: true }])
  })

  it('has the password and its words in no line of the log and in no error', async () => {
    const { msp, email: address } = await writingMsp()
    const server = await startMailServer({ login: { user: 'robot', pass: 'another' } })
    const variables = { SMTP_URL: server.url.replace('://', '://robot:hunter2%40@'), MAIL_FROM }
    const { app, log } = await overheard(testDatabase(), variables)
    await addOutbound(msp, { id: ID, address })
    await enqueueFor(app.services, msp, SEND_MAIL, { message_id: ID })
    const { failure, message } = await perform({ services: app.services, msp })
    expect(message).toMatchObject({ status: 'QUEUED', error: null })
    const said = `${inspect(failure, { depth: 9 })} ${await log()}`
    expect(said).toContain('The mail server answered 535 to AUTH PLAIN')
    for (const word of ['hunter2', 'prints again', address]) expect(said).not.toContain(word)
  })

  test.runIf(process.env.DATABASE_URL)('holds no transaction while the server thinks', async () => {
    const at = await mailing()
    const held: unknown[] = []
    const look = async () => {
      held.push(
        ...(await at.msp.database.prisma.$queryRaw<unknown[]>`
          select query from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`),
      )
    }
    at.server.behaves({ onRecipient: look, onMail: look })
    await perform(at)
    expect(at.server.mails).toHaveLength(1)
    expect(held).toEqual([])
  })
})

describe('a bounce', () => {
  it('is kept for 30 days', async () => {
    const { msp } = await writingMsp()
    const { tenant_id, environment, database } = msp
    const at = (ago: number) => new Date(clock.now().getTime() - days(ago))
    await database.prisma.commsBounce.createMany({
      data: [
        { tenant_id, environment, address: 'old@a.example', at: at(31) },
        { tenant_id, environment, address: 'young@a.example', at: at(29) },
      ],
    })
    const { services } = (await testApp()).app
    const { signal } = new AbortController()
    await deleteOldBounces.handler({ services, now: clock.now(), signal } as never, {})
    expect((await bouncesOf(msp)).map(({ address }) => address)).toEqual(['young@a.example'])
  })
})
