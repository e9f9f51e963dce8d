/** Messages that callers send: what is stored, and what is refused. */
import { beforeAll, describe, expect, it, test } from 'vitest'
import { apis, describeApi, outcome } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { counted, times } from '../../setup/at-once.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import {
  ADA,
  addConversation,
  chatOn,
  messagesOf,
  NOTE,
  SITE,
  SLACK,
  sendMessage,
  waitingFor,
  writingMsp,
} from '../../setup/comms-writing.ts'
import { withoutPsa } from '../../setup/due.ts'
import { describeSupport } from '../../setup/support.ts'
import { days, type Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)

const problems = ({ error }: Awaited<ReturnType<typeof sendMessage>>) =>
  (error?.details.field_errors ?? []).map(({ field, code }) => [field, code])

const addBounce = ({ database, tenant_id, environment }: Msp, address: string, at: Date) =>
  database.prisma.commsBounce.create({ data: { tenant_id, environment, address, at } })

describeSupport('an e-mail', (place) => {
  it('is QUEUED with its job, and read by its id', async () => {
    const { msp, email } = await writingMsp()
    const answer = await sendMessage(place.api, msp.admin, { ticket_id: '4711' })
    expect(answer.error).toBeNull()
    expect(answer.status).toBe(200)
    const { data } = answer
    expect(data).toMatchObject({
      id: expect.stringMatching(/^cms_\w{22}$/),
      direction: 'OUTBOUND',
      medium: 'EMAIL',
      status: 'QUEUED',
      recipient_type: 'END_USER',
      recipient_id: 'ada',
      recipient_name: 'Ada',
      subject: 'Your printer',
      body: 'It prints again.',
      ticket_id: '4711',
      channel_id: null,
      agent_id: null,
      error: null,
      sent_at: null,
    })
    expect((await place.api.call(msp.admin, 'comms_message', { message_id: data.id })).data).toEqual(data)
    expect(await messagesOf(msp)).toMatchObject([{ address: email, end_user_id: 'ada', source_id: null }])
    expect(await waitingFor(msp, 'comms.send_mail')).toEqual([data.id])
  })

  it('has neither its text nor its address in the audit log', async () => {
    const { msp, email } = await writingMsp()
    await sendMessage(place.api, msp.admin)
    const activities = await activitiesOf(msp)
    expect(activities).toMatchObject([{ action: 'comms_message.created' }])
    for (const word of [email, 'prints again']) expect(JSON.stringify(activities)).not.toContain(word)
  })

  it('to a technician goes to the address of the user who it is, or else to that of the PSA', async () => {
    const { msp, technician } = await writingMsp()
    await sendMessage(place.api, msp.admin, { recipient: technician })
    const where = { id: msp.user.id }
    const data = { technician_profile_id: Number(technician.id) }
    await msp.database.prisma.tenantUser.updateMany({ where, data })
    await sendMessage(place.api, msp.admin, { recipient: technician })
    const { email } = await msp.database.prisma.tenantUser.findFirstOrThrow({ where })
    expect(await messagesOf(msp)).toMatchObject([
      {
        recipient_type: 'TECHNICIAN',
        recipient_name: 'Tess',
        end_user_id: null,
        address: 'tess@psa.example',
      },
      { address: email },
    ])
  })

  test.each([
    ['is unknown', { type: 'END_USER', id: 'nobody' }, 'unknown'],
    ['is not ACTIVE any more', { type: 'END_USER', id: 'eve' }, 'unknown'],
    ['has no address', { type: 'END_USER', id: 'bob' }, 'no_address'],
    ['is no technician', { type: 'TECHNICIAN', id: '999999' }, 'unknown'],
    ['has an id that no technician has', { type: 'TECHNICIAN', id: 'ada@free.example' }, 'unknown'],
  ])('to a recipient who %s is refused', async (_why, recipient, code) => {
    const { msp } = await writingMsp()
    const answer = await sendMessage(place.api, msp.admin, { recipient })
    expect(outcome(answer)).toEqual([422, 'request_validation_failed'])
    expect(problems(answer)).toEqual([['recipient', code]])
    expect(await messagesOf(msp)).toEqual([])
    expect(await waitingFor(msp, 'comms.send_mail')).toEqual([])
  })

  test.each([
    ['a technician who is deleted', { deleted_at: new Date() }, 'unknown'],
    ['a technician whom the PSA does not know', { psa_id: 99 }, 'no_address'],
  ])('to %s is refused', async (_name, data, code) => {
    const { msp, technician } = await writingMsp()
    await msp.database.prisma.technicianProfile.updateMany({ where: { tenant_id: msp.tenant_id }, data })
    expect(problems(await sendMessage(place.api, msp.admin, { recipient: technician }))).toEqual([
      ['recipient', code],
    ])
  })

  it('is SUPPRESSED at once for 30 days after the address bounced, in any letter case', async () => {
    const { msp, email } = await writingMsp()
    const where = { tenant_id: msp.tenant_id, id: 'ada' }
    await msp.database.prisma.endUser.updateMany({ where, data: { email: email.toUpperCase() } })
    await addBounce(msp, email, clock.now())
    const { data } = await sendMessage(place.api, msp.admin)
    expect(data).toMatchObject({ status: 'SUPPRESSED', error: 'address_refused', sent_at: null })
    expect(await waitingFor(msp, 'comms.send_mail')).toEqual([])
    clock.advance(days(30) + 1)
    expect((await sendMessage(place.api, msp.admin)).data.status).toBe('QUEUED')
  })

  it('is not suppressed by a bounce of another tenant', async () => {
    const { msp, email } = await writingMsp()
    await addBounce((await writingMsp()).msp, email, clock.now())
    expect((await sendMessage(place.api, msp.admin)).data.status).toBe('QUEUED')
  })

  it('holds no secret', async () => {
    const { msp } = await writingMsp()
    const secret = 'Use Bearer abcdefghijklmnop12345'
    const answer = await sendMessage(place.api, msp.admin, { subject: secret, body: secret })
    expect(outcome(answer)).toEqual([422, 'secret_in_content'])
    expect(problems(answer).map(([field]) => field)).toEqual(['subject', 'body'])
  })

  it('is one for one Idempotency-Key', async () => {
    const { msp } = await writingMsp()
    const headers = { 'idempotency-key': 'order-7' }
    const first = await sendMessage(place.api, msp.admin, {}, headers)
    const again = await sendMessage(place.api, msp.admin, {}, headers)
    expect(again.data).toEqual(first.data)
    expect(await waitingFor(msp, 'comms.send_mail')).toEqual([first.data.id])
  })

  it.runIf(process.env.DATABASE_URL)('is one for one Idempotency-Key of many calls at once', async () => {
    const { msp } = await writingMsp()
    const answers = await times(
      () => sendMessage(place.api, msp.admin, {}, { 'idempotency-key': 'at-once' }),
      8,
    )
    expect(answers.some(({ error }) => error === null)).toBe(true)
    expect(await messagesOf(msp)).toHaveLength(1)
    expect(await waitingFor(msp, 'comms.send_mail')).toHaveLength(1)
  })

  it('is a feature of the tenant', async () => {
    const { msp } = await writingMsp()
    expect((await place.api.call(msp.viewer, 'tenant')).data.features).toEqual(['email'])
  })
})

describeApi('a message', (api) => {
  test.each([
    [
      { medium: 'EMAIL', recipient: null, subject: null },
      [
        ['recipient', 'required'],
        ['subject', 'required'],
      ],
    ],
    [{ medium: 'EMAIL', channel_id: SITE }, [['channel_id', 'medium']]],
    [{ ...NOTE, ticket_id: null }, [['ticket_id', 'required']]],
    [
      { ...NOTE, recipient: ADA, subject: 'Hello', channel_id: SITE },
      [
        ['channel_id', 'medium'],
        ['recipient', 'medium'],
        ['subject', 'medium'],
      ],
    ],
    [
      { ...chatOn(SITE), recipient: null, channel_id: null },
      [
        ['channel_id', 'required'],
        ['recipient', 'required'],
      ],
    ],
    [
      { ...chatOn(SITE), ticket_id: '1', subject: 'Hello' },
      [
        ['ticket_id', 'medium'],
        ['subject', 'medium'],
      ],
    ],
  ])('whose fields are not those of its medium is refused: %j', async (input, expected) => {
    const { msp } = await writingMsp()
    const answer = await sendMessage(api, msp.admin, input)
    expect(outcome(answer)).toEqual([422, 'request_validation_failed'])
    expect(problems(answer)).toEqual(expected)
  })

  it('by mail is refused without a mail server, which is no feature then', async () => {
    const { msp } = await writingMsp()
    expect(outcome(await sendMessage(api, msp.admin))).toEqual([409, 'email_not_configured'])
    const where = { id: msp.tenant_id }
    await msp.database.prisma.tenant.update({ where, data: { features: ['email', 'SUPERVISED_RUNS'] } })
    expect((await api.call(msp.viewer, 'tenant')).data.features).toEqual(['SUPERVISED_RUNS'])
  })

  it('needs the scope comms:write', async () => {
    const { msp } = await writingMsp()
    const reader = await msp.newKey({ scopes: ['comms:read'] })
    expect(outcome(await sendMessage(api, reader, NOTE))[0]).toBe(403)
  })
})

describeApi('a note', (api) => {
  it('is QUEUED with its job', async () => {
    const { msp } = await writingMsp()
    const { data } = await sendMessage(api, msp.admin, NOTE)
    expect(data).toMatchObject({
      medium: 'TICKET_NOTE',
      status: 'QUEUED',
      ticket_id: '4711',
      recipient_type: null,
    })
    expect(await waitingFor(msp, 'comms.add_note')).toEqual([data.id])
  })

  it('is refused without a connected PSA, whose name the refusal has', async () => {
    const { msp } = await writingMsp()
    const { tenant_id, database } = msp
    await database.prisma.integrationConnection.deleteMany({ where: { tenant_id } })
    const answer = await sendMessage(api, msp.admin, NOTE)
    expect(outcome(answer)).toEqual([409, 'integration_not_connected'])
    await database.prisma.tenant.update({ where: { id: tenant_id }, data: { psa_type: 'HALO_PSA' } })
    expect((await sendMessage(api, msp.admin, NOTE)).error?.details).toMatchObject({ name: 'halo-psa' })
  })
})

describeApi('a chat', (api) => {
  it('on the web is DELIVERED at once, in the latest conversation of the person', async () => {
    const { msp } = await writingMsp()
    await addConversation(msp, SITE, 'newest', new Date('2026-01-04T00:00:00Z'))
    const { data, error } = await sendMessage(api, msp.admin, chatOn(SITE))
    expect(error).toBeNull()
    expect(data).toMatchObject({
      medium: 'CHAT',
      status: 'DELIVERED',
      channel_id: SITE,
      conversation_id: 'newest',
      agent_id: 1,
      recipient_name: 'Ada',
      sent_at: expect.any(String),
    })
    const { source_id } = (await messagesOf(msp))[0] as { source_id: string }
    const messages = await api.call(msp.admin, 'channel_messages', { channel_id: SITE })
    expect(messages.data.find(({ id }: { id: string }) => id === source_id)).toMatchObject({
      author: 'AGENT',
      conversation_id: 'newest',
      text: 'It prints again.',
      status: 'SENT',
      reply_to_message_id: null,
    })
  })

  it('on another platform is QUEUED until the platform has it', async () => {
    const { msp } = await writingMsp()
    const { data } = await sendMessage(api, msp.admin, chatOn(SLACK))
    expect(data).toMatchObject({ status: 'QUEUED', conversation_id: 'slack', sent_at: null })
    const [message] = await messagesOf(msp)
    expect(await waitingFor(msp, 'channels.send')).toEqual([message?.source_id])
  })

  test.each([
    ['an end user without a conversation', { type: 'END_USER', id: 'bob' }, 'no_address'],
    ['an unknown end user', { type: 'END_USER', id: 'nobody' }, 'unknown'],
    ['a technician', null, 'no_address'],
  ])('with %s is refused', async (_name, recipient, code) => {
    const { msp, technician } = await writingMsp()
    const answer = await sendMessage(api, msp.admin, { ...chatOn(SITE), recipient: recipient ?? technician })
    expect(problems(answer)).toEqual([['recipient', code]])
    expect(await messagesOf(msp)).toEqual([])
  })

  it('is refused on an unknown channel', async () => {
    const { msp } = await writingMsp()
    const answer = await sendMessage(api, msp.admin, chatOn('chn_none'))
    expect(problems(answer)).toEqual([['channel_id', 'unknown']])
  })

  it('is refused on a channel that is not ACTIVE', async () => {
    const { msp } = await writingMsp()
    await api.call(msp.admin, 'pause_channel', { channel_id: SITE })
    const answer = await sendMessage(api, msp.admin, chatOn(SITE))
    expect(outcome(answer)).toEqual([409, 'channel_not_active'])
    expect(answer.error?.details).toMatchObject({ current_status: 'PAUSED' })
  })
})

describe('a mail to a technician whose address the PSA has', () => {
  it('is refused while the PSA is away', async () => {
    const { app } = await testApp()
    const before = { connectors: app.services.connectors, mail: app.services.mail }
    Object.assign(app.services, {
      connectors: (await withoutPsa('technician')).connectors,
      mail: { send: () => Promise.reject(new Error('Nothing is sent')) },
    })
    try {
      const { msp, technician } = await writingMsp()
      for (const api of apis) {
        const answer = await sendMessage(api, msp.admin, { recipient: technician })
        expect(outcome(answer)).toEqual([503, 'upstream_unavailable'])
      }
      expect(await messagesOf(msp)).toEqual([])
    } finally {
      Object.assign(app.services, before)
    }
  })
})

describe('calls at once', () => {
  it('with keys of their own are messages of their own', async () => {
    const { msp } = await writingMsp()
    const answers = await times(() => sendMessage(apis[1] as (typeof apis)[number], msp.admin, NOTE), 4)
    expect(counted(answers)).toEqual({ 200: 4 })
    expect(new Set(await waitingFor(msp, 'comms.add_note')).size).toBe(4)
  })
})
