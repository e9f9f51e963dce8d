/** Mails of steps to technicians. */
import { inspect } from 'node:util'
import { afterEach, beforeAll, describe, expect, it, test } from 'vitest'
import { JOBS } from '../../../src/composition/jobs.ts'
import { ApiError } from '../../../src/errors/errors.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { installJobs } from '../../../src/jobs/install.ts'
import { clock, ENVIRONMENT } from '../../setup/app.ts'
import { performDue } from '../../setup/connected.ts'
import { testDatabase } from '../../setup/database.ts'
import {
  MAIL_FROM,
  mailAgain,
  notificationsOf,
  openMailing,
  servicesWith,
  takeMailingStep,
} from '../../setup/escalation-mails.ts'
import { overheard } from '../../setup/log.ts'
import { addPsaTechnicians } from '../../setup/psa.ts'
import { startMailServer } from '../../setup/smtp.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { type Msp, world } from '../../setup/world.ts'

/** The races that are run: 5, or as many as `TEST_RACES` says. */
const RACES = Number(process.env.TEST_RACES ?? 5)

beforeAll(async () => {
  await installJobs(await testDatabase(), ENVIRONMENT, JOBS)
})
afterEach(() => clock.reset())

/** A tenant with a technician who has an address in the PSA. */
async function mailed(email: string | null = 'ada@psa.example') {
  const msp = await world()
  const [technician = 0] = await addTechnicians(msp, [{ psa_id: 31, name: 'Ada' }])
  await addPsaTechnicians(msp, [{ psa_id: 31, name: 'Ada', email }])
  return { msp, technician }
}

const link = ({ database }: Msp, id: string, technician_profile_id: number) =>
  database.prisma.tenantUser.updateMany({ where: { id }, data: { technician_profile_id } })

/** Opens an escalation that mails the technician, and does all that is due. The notification, and the id. */
async function escalate(services: Services, msp: Msp, technician: number, attempt = 1) {
  const id = await openMailing(services, msp, [technician])
  const failure: unknown = await performDue(services, msp, attempt).catch((error) => error)
  const [told] = await notificationsOf(msp, id)
  return { id, told, failure }
}

describe('the mail of a step', () => {
  it('reaches the technician, with the cause and the way to take it over', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    const { id, told } = await escalate(await servicesWith(server.url), msp, technician)
    expect(server.mails).toHaveLength(1)
    const [mail] = server.mails
    expect(mail).toMatchObject({
      to: ['ada@psa.example'],
      headers: {
        subject: 'An agent cannot go on (ticket T-7)',
        'message-id': `<${id}.1.${technician}@mail.example>`,
        'auto-submitted': 'auto-generated',
      },
    })
    expect(mail?.text).toContain('Reason: The printer is on fire')
    expect(mail?.text).toContain(`acknowledge the escalation ${id}`)
    expect(told).toMatchObject({ via: 'EMAIL', name: 'Ada', technician_id: technician, error_code: null })
    expect(told?.began_at).toBeInstanceOf(Date)
    expect(told?.at?.getTime()).toBeGreaterThanOrEqual(told?.began_at?.getTime() ?? Number.NaN)
  })

  it('goes to the address of the user who is the technician, before that of the PSA', async () => {
    const { msp, technician } = await mailed()
    await link(msp, msp.admin.id, technician)
    const server = await startMailServer()
    await escalate(await servicesWith(server.url), msp, technician)
    const domain = msp.tenant_id.replaceAll('_', '-')
    expect(server.mails.map(({ to }) => to)).toEqual([[`admin@${domain}.test`]])
  })

  it('is one for each technician, of whom none sees the others', async () => {
    const { msp, technician } = await mailed()
    const [other = 0] = await addTechnicians(msp, [{ psa_id: 32, name: 'Bo' }])
    await addPsaTechnicians(msp, [{ psa_id: 32, email: 'bo@psa.example' }])
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    await openMailing(services, msp, [technician, other])
    await performDue(services, msp)
    expect(server.mails.map(({ to }) => to).toSorted()).toEqual([['ada@psa.example'], ['bo@psa.example']])
    expect(new Set(server.mails.map(({ headers }) => headers['message-id'])).size).toBe(2)
  })

  test.each([
    ['the PSA has no address', async () => {}],
    [
      'the technician is deleted',
      async ({ database, tenant_id }: Msp) => {
        await database.prisma.technicianProfile.updateMany({
          where: { tenant_id },
          data: { deleted_at: clock.now() },
        })
      },
    ],
  ])('is none if %s', async (_why, arrange) => {
    const { msp, technician } = await mailed(null)
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    const id = await openMailing(services, msp, [technician])
    await takeMailingStep(services, msp, id)
    await arrange(msp)
    await performDue(services, msp)
    expect(await notificationsOf(msp, id)).toMatchObject([
      { at: null, began_at: null, error_code: 'no_address' },
    ])
    expect(server.connections()).toBe(0)
  })

  it('is none without a mail server', async () => {
    const { msp, technician } = await mailed()
    const id = await openMailing(await servicesWith(null), msp, [technician])
    await performDue(await servicesWith(null), msp)
    expect(await notificationsOf(msp, id)).toEqual([])
  })

  it('is none if the mail server was taken away meanwhile', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    const id = await openMailing(services, msp, [technician])
    await takeMailingStep(services, msp, id)
    await performDue(await servicesWith(null), msp)
    expect(await notificationsOf(msp, id)).toMatchObject([
      { at: null, began_at: null, error_code: 'email_not_configured' },
    ])
  })

  it('is not tried again if the server refuses the address for good', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    server.behaves({ refuses: { at: 'RCPT', status: 550 } })
    const services = await servicesWith(server.url)
    const { id, told } = await escalate(services, msp, technician)
    expect(told).toMatchObject({ at: null, began_at: null, error_code: 'address_refused' })
    server.behaves({})
    await mailAgain(services, msp, id, technician)
    await performDue(services, msp)
    expect(server.mails).toEqual([])
  })

  it('that the server refuses after its content is not told', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    server.behaves({ refuses: { at: 'DATA', status: 554 } })
    const { told } = await escalate(await servicesWith(server.url), msp, technician)
    expect(told).toMatchObject({ at: null, began_at: null, error_code: 'address_refused' })
  })

  it('waits for a server that is away', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    await server.stop()
    const services = await servicesWith(server.url)
    const { id, told, failure } = await escalate(services, msp, technician)
    expect(String(failure)).toContain('The mail server could not be spoken with (ECONNREFUSED)')
    expect(told).toMatchObject({ at: null, began_at: null, error_code: null })
    await server.start()
    await mailAgain(services, msp, id, technician)
    await performDue(services, msp, 2)
    expect(server.mails).toHaveLength(1)
    expect(await notificationsOf(msp, id)).toMatchObject([{ at: expect.any(Date), error_code: null }])
  })

  it('waits if the server defers it after its content', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    server.behaves({ refuses: { at: 'DATA', status: 451 } })
    const services = await servicesWith(server.url)
    const { id, told } = await escalate(services, msp, technician)
    expect(told).toMatchObject({ at: null, began_at: null, error_code: null })
    server.behaves({})
    await mailAgain(services, msp, id, technician)
    await performDue(services, msp, 2)
    expect(server.mails).toHaveLength(1)
  })

  it('ends after the last attempt', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    server.behaves({ refuses: { at: 'RCPT', status: 450 } })
    const { told } = await escalate(services, msp, technician, 8)
    expect(told).toMatchObject({ at: null, error_code: null })
    const last = await escalate(services, msp, technician, 9)
    expect(last.told).toMatchObject({ at: null, began_at: null, error_code: 'server_unreachable' })
  })

  it('waits for a PSA that is away', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    const away: Services = {
      ...services,
      connectors: {
        ...services.connectors,
        psa: () =>
          ({
            technician: () =>
              Promise.reject(new ApiError('upstream_unavailable', { details: { upstream: 'PSA' } })),
          }) as never,
      },
    }
    const { id, told, failure } = await escalate(away, msp, technician)
    expect(failure).toMatchObject({ code: 'upstream_unavailable' })
    expect(told).toMatchObject({ at: null, error_code: null })
    await mailAgain(services, msp, id, technician)
    await performDue(services, msp, 2)
    expect(server.mails).toHaveLength(1)
    const last = await escalate(away, msp, technician, 9)
    expect(last.told).toMatchObject({ at: null, error_code: 'upstream_unavailable' })
  })

  it('is never sent again if the server may have it', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    server.behaves({ breaks_off: true })
    const services = await servicesWith(server.url)
    const { id, told } = await escalate(services, msp, technician)
    expect(told).toMatchObject({ at: told?.began_at, error_code: null })
    expect(told?.at).toBeInstanceOf(Date)
    await mailAgain(services, msp, id, technician)
    await performDue(services, msp)
    expect(server.mails).toHaveLength(1)
  })

  it('is never sent again if a worker was lost once it had begun', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    const id = await openMailing(services, msp, [technician])
    await takeMailingStep(services, msp, id)
    const began_at = new Date('2026-11-27T09:00:00Z')
    const { escalationNotification } = msp.database.prisma
    await escalationNotification.updateMany({ where: { event_id: id }, data: { began_at } })
    await performDue(services, msp)
    expect(server.connections()).toBe(0)
    expect(await notificationsOf(msp, id)).toMatchObject([{ began_at, at: began_at, error_code: null }])
  })

  test.runIf(process.env.DATABASE_URL)('holds no transaction while the server thinks', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    const held: unknown[] = []
    const look = async () => {
      held.push(
        ...(await msp.database.prisma.$queryRaw<unknown[]>`
          select query from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`),
      )
    }
    server.behaves({ onRecipient: look, onMail: look })
    await escalate(services, msp, technician)
    expect(server.mails).toHaveLength(1)
    expect(held).toEqual([])
  })

  it('has its password in no line of the log and in no error', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer({ login: { user: 'robot', pass: 'another' } })
    const variables = { SMTP_URL: server.url.replace('://', '://robot:hunter2%40@'), MAIL_FROM }
    const { app, log } = await overheard(testDatabase(), variables)
    const { failure } = await escalate(app.services, msp, technician)
    expect(server.logins).toMatchObject([{ user: 'robot', pass: 'hunter2@' }])
    const said = `${inspect(failure, { depth: 9 })} ${await log()}`
    expect(said).toContain('The mail server answered 535 to AUTH PLAIN')
    const encoded = Buffer.from('\0robot\0hunter2@').toString('base64')
    for (const secret of ['hunter2', encoded]) expect(said).not.toContain(secret)
  })

  it('is sent by one of two attempts at the same time', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    const id = await openMailing(services, msp, [technician])
    await takeMailingStep(services, msp, id)
    await mailAgain(services, msp, id, technician)
    await Promise.all([performDue(services, msp), performDue(services, msp)])
    expect(server.mails).toHaveLength(1)
  })
})

describe('a mail and a person who takes the escalation over', () => {
  const takeOver = ({ database }: Msp, id: string) =>
    database.prisma.escalationEvent.updateMany({ where: { id }, data: { status: 'ACKNOWLEDGED' } })

  it('before the mail: no connection is made', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    const id = await openMailing(services, msp, [technician])
    await takeMailingStep(services, msp, id)
    await takeOver(msp, id)
    await performDue(services, msp)
    expect(server.connections()).toBe(0)
    expect(await notificationsOf(msp, id)).toMatchObject([{ at: null, error_code: 'not_needed' }])
  })

  it('while the server is asked: the server gets no content', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    const id = await openMailing(services, msp, [technician])
    server.behaves({ onRecipient: async () => void (await takeOver(msp, id)) })
    await performDue(services, msp)
    expect(server.connections()).toBe(1)
    await server.stop()
    expect(server.mails).toEqual([])
    await server.start()
    expect(await notificationsOf(msp, id)).toMatchObject([
      { at: null, began_at: null, error_code: 'not_needed' },
    ])
  })

  it('after the mail began: the mail is told', async () => {
    const { msp, technician } = await mailed()
    const server = await startMailServer()
    const services = await servicesWith(server.url)
    const id = await openMailing(services, msp, [technician])
    server.behaves({ onMail: async () => void (await takeOver(msp, id)) })
    await performDue(services, msp)
    expect(server.mails).toHaveLength(1)
    expect(await notificationsOf(msp, id)).toMatchObject([{ at: expect.any(Date), error_code: null }])
  })

  test.runIf(process.env.DATABASE_URL)('at once: exactly one wins', async () => {
    for (let race = 0; race < RACES; race++) {
      const { msp, technician } = await mailed()
      const server = await startMailServer()
      const services = await servicesWith(server.url)
      const id = await openMailing(services, msp, [technician])
      let claimed: Promise<unknown> | undefined
      server.behaves({
        onRecipient: () => {
          claimed = takeOver(msp, id)
        },
      })
      await performDue(services, msp)
      await claimed
      const [told] = await notificationsOf(msp, id)
      expect([server.mails.length, told?.error_code]).toEqual(told?.at ? [1, null] : [0, 'not_needed'])
    }
  })
})
