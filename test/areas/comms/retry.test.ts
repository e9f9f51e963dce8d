/** Messages that are sent again by callers. */
import { beforeAll, expect, it, test } from 'vitest'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { counted, times } from '../../setup/at-once.ts'
import {
  addOutbound,
  chatOn,
  messagesOf,
  SITE,
  SLACK,
  sendMessage,
  waitingFor,
  writingMsp,
} from '../../setup/comms-writing.ts'
import { performDue } from '../../setup/connected.ts'
import { describeSupport } from '../../setup/support.ts'
import type { Caller, Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)

const ID = 'cms_1'
const retry = (api: Api, caller: Caller, input?: object, headers = {}) =>
  api.call(caller, 'retry_comms_message', { message_id: ID, ...(input && { input }) }, headers)

/** A tenant with a message that failed. */
async function failed(message: object = {}) {
  const writing = await writingMsp()
  const failure = { status: 'FAILED', error: 'server_unreachable', address: writing.email } as const
  await addOutbound(writing.msp, { id: ID, ...failure, ...message })
  return writing
}

describeSupport('a retry', (place) => {
  it('queues a mail that could not be sent, to the address that its recipient has now', async () => {
    const { msp } = await failed()
    const where = { tenant_id: msp.tenant_id, id: 'ada' }
    const email = `new@${msp.tenant_id.replaceAll('_', '-')}.example`
    await msp.database.prisma.endUser.updateMany({ where, data: { email, name: 'Ada L.' } })
    const { data, error } = await retry(place.api, msp.admin)
    expect(error).toBeNull()
    expect(data).toMatchObject({ id: ID, status: 'QUEUED', error: null, recipient_name: 'Ada L.' })
    await performDue(place.services, msp)
    const mails = place.server.mails.filter(({ to }) => to.includes(email))
    expect(mails).toMatchObject([{ headers: { 'message-id': `<${ID}@mail.example>` } }])
    expect(await messagesOf(msp)).toMatchObject([{ status: 'SENT', address: email }])
  })

  it('of a mail that may have arrived needs a confirmation, and keeps its Message-ID', async () => {
    const unknown = { error: 'outcome_unknown', began_at: clock.now() }
    const { msp, email } = await failed(unknown)
    for (const input of [undefined, {}, { confirm_duplicate: false }]) {
      const { error } = await retry(place.api, msp.admin, input)
      expect(error).toMatchObject({ code: 'message_not_retryable', details: { status: 'FAILED' } })
    }
    const { data } = await retry(place.api, msp.admin, { confirm_duplicate: true })
    expect(data).toMatchObject({ status: 'QUEUED', error: null })
    await performDue(place.services, msp)
    const mails = place.server.mails.filter(({ to }) => to.includes(email))
    expect(mails.map(({ headers }) => headers['message-id'])).toEqual([`<${ID}@mail.example>`])
  })

  it('to an address that bounced makes the message SUPPRESSED, which is final', async () => {
    const { msp, email: address } = await failed({ error: 'address_refused' })
    const { tenant_id, environment } = msp
    await msp.database.prisma.commsBounce.create({
      data: { tenant_id, environment, address, at: clock.now() },
    })
    expect((await retry(place.api, msp.admin)).data).toMatchObject({
      status: 'SUPPRESSED',
      error: 'address_refused',
    })
    expect(await waitingFor(msp, 'comms.send_mail')).toEqual([])
    expect(outcome(await retry(place.api, msp.admin))).toEqual([409, 'message_not_retryable'])
  })

  test.each([
    ['is gone', { status: 'INACTIVE' as const }, 'unknown'],
    ['has no address any more', { email: null }, 'no_address'],
  ])('is refused if the recipient %s', async (_how, data, code) => {
    const { msp } = await failed()
    await msp.database.prisma.endUser.updateMany({ where: { tenant_id: msp.tenant_id, id: 'ada' }, data })
    const answer = await retry(place.api, msp.admin)
    expect(answer.error?.details.field_errors).toMatchObject([{ field: 'recipient', code }])
    expect((await messagesOf(msp))[0]).toMatchObject({ status: 'FAILED' })
  })

  test.each(['QUEUED', 'SENT', 'DELIVERED', 'SUPPRESSED', 'REJECTED', 'PENDING_APPROVAL'] as const)(
    'of a message that is %s is refused',
    async (status) => {
      const { msp } = await failed({ status, error: null })
      const { error } = await retry(place.api, msp.admin, { confirm_duplicate: true })
      expect(error).toMatchObject({ code: 'message_not_retryable', details: { status } })
    },
  )

  test.each([
    ['from a customer', { direction: 'INBOUND' }],
    ['of an agent’s run', { execution_id: 'exe_1', source_id: 'call_1' }],
    ['of an agent’s chat', { medium: 'CHAT', source_id: 'call_1' }],
    ['of a tool call', { source_id: 'call_1' }],
  ])('of a message %s is refused', async (_whose, message) => {
    const { msp } = await failed(message)
    expect(outcome(await retry(place.api, msp.admin))).toEqual([409, 'message_not_retryable'])
  })

  it('honours If-Match', async () => {
    const { msp } = await failed()
    const { etag } = await place.api.call(msp.admin, 'comms_message', { message_id: ID })
    const stale = await retry(place.api, msp.admin, undefined, { 'if-match': '"0"' })
    expect(outcome(stale)).toEqual([409, 'version_conflict'])
    expect((await retry(place.api, msp.admin, undefined, { 'if-match': String(etag) })).error).toBeNull()
  })

  it.runIf(process.env.DATABASE_URL)('happens once, of many at once', async () => {
    const { msp, email } = await failed()
    const answers = await times(() => retry(place.api, msp.admin), 6)
    expect(counted(answers)).toEqual({ 200: 1, message_not_retryable: 5 })
    expect(await waitingFor(msp, 'comms.send_mail')).toEqual([ID])
    await performDue(place.services, msp)
    expect(place.server.mails.filter(({ to }) => to.includes(email))).toHaveLength(1)
  })
})

describeApi('a retry', (api) => {
  it('of an unknown message is 404', async () => {
    const { msp } = await writingMsp()
    expect(outcome(await retry(api, msp.admin))).toEqual([404, 'message_not_found'])
  })

  it('of a mail is refused without a mail server', async () => {
    const { msp } = await failed()
    expect(outcome(await retry(api, msp.admin))).toEqual([409, 'email_not_configured'])
  })

  const NOTE = { medium: 'TICKET_NOTE', ticket_id: '4711', recipient_id: null, recipient_type: null }

  it('of a note queues it again, if a PSA is connected', async () => {
    const { msp } = await failed({ ...NOTE, error: 'ticket_not_found' })
    expect((await retry(api, msp.admin)).data).toMatchObject({ status: 'QUEUED', error: null })
    expect(await waitingFor(msp, 'comms.add_note')).toEqual([ID])
    const other = (await failed(NOTE)).msp
    await other.database.prisma.integrationConnection.deleteMany({ where: { tenant_id: other.tenant_id } })
    expect(outcome(await retry(api, other.admin))).toEqual([409, 'integration_not_connected'])
  })

  /** A chat that its platform did not take. */
  async function failedChat(): Promise<{ msp: Msp; source_id: string }> {
    const { msp } = await writingMsp()
    await sendMessage(api, msp.admin, chatOn(SLACK))
    const { tenant_id, database } = msp
    const [sent] = await messagesOf(msp)
    const source_id = String(sent?.source_id)
    await database.prisma
      .$executeRaw`delete from pgboss.job where data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}`
    await database.prisma.channelMessage.updateMany({
      where: { tenant_id, id: source_id },
      data: { status: 'FAILED', error_code: 'upstream_unavailable' },
    })
    await database.prisma.commsMessage.updateMany({
      where: { tenant_id, source_id },
      data: { id: ID },
    })
    return { msp, source_id }
  }

  const retriesOf = ({ database, tenant_id }: Msp) =>
    database.prisma.activityEntry.findMany({ where: { tenant_id, action: 'comms_message.retried' } })

  it('of a chat sends the same message of the chat again', async () => {
    const { msp, source_id } = await failedChat()
    const read = () => api.call(msp.admin, 'comms_message', { message_id: ID })
    const before = await read()
    expect(before.data).toMatchObject({ status: 'FAILED', error: 'server_unreachable', revision: 1 })
    const headers = { 'if-match': String(before.etag) }
    const again = await retry(api, msp.admin, undefined, headers)
    expect(again.data).toMatchObject({ status: 'QUEUED', error: null, revision: 2 })
    const after = await read()
    expect(after.data).toEqual(again.data)
    expect(after.etag).not.toBe(before.etag)
    expect(outcome(await retry(api, msp.admin, undefined, headers))).toEqual([409, 'version_conflict'])
    expect(await retriesOf(msp)).toMatchObject([
      { before: { status: 'FAILED', error: 'server_unreachable' }, after: { status: 'QUEUED', error: null } },
    ])
    expect(await waitingFor(msp, 'channels.send')).toEqual([source_id])
    const where = { tenant_id: msp.tenant_id, id: source_id }
    expect(await msp.database.prisma.channelMessage.findFirst({ where })).toMatchObject({
      status: 'PENDING',
      error_code: null,
    })
  })

  it('of a chat is refused while its channel is not ACTIVE, or once its message is gone', async () => {
    const { msp, source_id } = await failedChat()
    await api.call(msp.admin, 'pause_channel', { channel_id: SLACK })
    expect(outcome(await retry(api, msp.admin))).toEqual([409, 'channel_not_active'])
    await api.call(msp.admin, 'resume_channel', { channel_id: SLACK })
    await msp.database.prisma.channelMessage.deleteMany({ where: { id: source_id } })
    expect(outcome(await retry(api, msp.admin))).toEqual([409, 'message_not_retryable'])
  })

  it('of the answer of an agent in a chat is refused', async () => {
    const { msp } = await writingMsp()
    const { tenant_id, environment, database } = msp
    const place = { channel_id: SITE, conversation_id: 'latest' }
    const times = { created_at: clock.now(), updated_at: clock.now() }
    await database.prisma.channelMessage.create({
      data: {
        tenant_id,
        environment,
        id: 'msg_answer',
        ...place,
        author: 'AGENT',
        text: 'An answer.',
        status: 'FAILED',
        reply_to_message_id: `msg_${SITE}_latest`,
        ...times,
      },
    })
    const message = { id: ID, medium: 'CHAT', status: 'FAILED', source_id: 'msg_answer', ...place } as const
    await database.prisma.commsMessage.deleteMany({ where: { tenant_id, source_id: 'msg_answer' } })
    await addOutbound(msp, message)
    expect(outcome(await retry(api, msp.admin))).toEqual([409, 'message_not_retryable'])
  })
})
