import { beforeAll, expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { type Answer, describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { playModel, useModel } from '../../setup/model.ts'
import { acting } from '../agents/people.ts'
import { installQueues } from '../agents/runnable.ts'
import { answered, chatMsp, DESK, post, SITE } from './chats.ts'

beforeAll(installQueues)

const problems = ({ error }: Answer) => error?.details.field_errors?.map(({ field, code }) => [field, code])

describeApi('a message on a channel', (api) => {
  it('is stored as PENDING, with its activity, and answered afterwards', async () => {
    const msp = await chatMsp()
    const model = await playModel([{ text: 'It burns.' }])
    const posted = await post(api, msp.key)
    expect([posted.status, posted.data]).toMatchObject([
      200,
      {
        channel_id: DESK,
        conversation_id: 'one',
        author: 'PERSON',
        text: 'What about 4711?',
        sender: { workplace_user_id: 'U1', end_user_id: null },
        status: 'PENDING',
        error_code: null,
        reply_to_message_id: null,
      },
    ])
    const { id } = posted.data
    const activities = await activitiesOf(msp)
    expect(activities).toMatchObject([
      {
        action: 'channel_message.posted',
        targets: [{ type: 'channel', id: DESK }],
        after: { message_id: id, conversation_id: 'one' },
      },
    ])
    expect(JSON.stringify(activities)).not.toContain('4711')
    const [question, answer] = await answered(api, msp)
    expect(question).toMatchObject({ id, status: 'ANSWERED' })
    expect(answer).toMatchObject({
      author: 'AGENT',
      sender: null,
      text: 'It burns.',
      status: 'SENT',
      reply_to_message_id: id,
    })
    const channel = await api.call(msp.key, 'channel', { channel_id: DESK })
    expect(channel.data.last_message_at).toBe(answer.created_at)
    expect(model.asked[0]?.messages).toMatchObject([
      { role: 'system', content: expect.stringContaining('Name the ticket.') },
      { role: 'user', content: 'What about 4711?' },
    ])
  })

  it('is answered once however often it is delivered with its key', async () => {
    const msp = await chatMsp()
    const model = await playModel([{ text: 'Yes.' }])
    const headers = { 'idempotency-key': 'delivery-1' }
    const first = await post(api, msp.key, {}, DESK, headers)
    const again = await post(api, msp.key, {}, DESK, headers)
    expect([again.status, again.data.id]).toEqual([200, first.data.id])
    expect(await answered(api, msp)).toHaveLength(2)
    expect(model.asked).toHaveLength(1)
  })

  it('goes on with its conversation, and knows nothing of another one', async () => {
    const msp = await chatMsp()
    const model = await playModel([{ text: 'Hello, Kay.' }])
    await post(api, msp.key, { text: 'I am Kay.' })
    await answered(api, msp)
    await post(api, msp.key, { text: 'Who am I?' })
    await answered(api, msp)
    await post(api, msp.key, { text: 'And I?', conversation_id: 'two' })
    await answered(api, msp)
    expect(model.asked.map(({ messages }) => messages.slice(1).map(({ content }) => content))).toEqual([
      ['I am Kay.'],
      ['I am Kay.', 'Hello, Kay.', 'Who am I?'],
      ['And I?'],
    ])
    const { data } = await api.call(msp.key, 'channel_messages', { channel_id: DESK, conversation_id: 'two' })
    expect(data).toHaveLength(2)
  })

  it('consumes credits, which usage counts, and makes no execution and no hours', async () => {
    const msp = await chatMsp()
    await playModel([
      { calls: [{ tool: 'ticket.read', args: { ticket_id: '4711' } }] },
      { text: 'The printer is on fire.' },
    ])
    await post(api, msp.key)
    await answered(api, msp)
    const usage = await api.call(msp.key, 'billing_usage', { granularity: 'MONTH' })
    expect(usage.data.total_credits).toBe(2)
    expect(usage.data.buckets.at(-1)).toMatchObject({ credits: 2, executions: 0, chat_messages: 1 })
    const summary = await api.call(msp.key, 'performance_summary', { autonomy_type: 'CONVERSATIONAL' })
    expect(summary.data).toMatchObject({ credits_consumed: 2, total_executions: 0, total_hours_saved: 0 })
    expect((await api.call(msp.key, 'executions')).data).toEqual([])
  })

  it('without a model is refused, and nothing changes', async () => {
    const msp = await chatMsp()
    await useModel(null)
    expect(outcome(await post(api, msp.key))).toEqual([409, 'model_not_configured'])
    expect((await api.call(msp.key, 'channel_messages', { channel_id: DESK })).data).toEqual([])
    expect(await activitiesOf(msp)).toEqual([])
  })

  it.each(['PENDING_INSTALL', 'PAUSED', 'ERROR', 'UNINSTALLED'] as const)(
    'is refused on a channel that is %s',
    async (status) => {
      const msp = await chatMsp()
      await msp.database.prisma.channel.updateMany({ where: { tenant_id: msp.tenant_id }, data: { status } })
      const refused = await post(api, msp.key)
      expect([...outcome(refused), refused.error?.details.current_status]).toEqual([
        409,
        'channel_not_active',
        status,
      ])
    },
  )

  it.each([
    ['agent_not_active', { state: 'PAUSED' }],
    ['agent_not_conversational', { autonomy_type: 'AGENTIC' }],
  ] as const)('is refused with %s if the agent has become %j', async (code, agent) => {
    const msp = await chatMsp()
    const where = { tenant_id: msp.tenant_id }
    await msp.database.prisma.agent.updateMany({ where, data: agent })
    expect(outcome(await post(api, msp.key))).toEqual([409, code])
  })

  it.each([
    ['subscription_inactive', { status: 'PAUSED' }],
    ['credits_exhausted', { credits_included: 0, overage_allowed: false }],
  ] as const)('is refused with %s of a tenant whose subscription is %j', async (code, data) => {
    const msp = await chatMsp()
    await msp.database.prisma.subscription.updateMany({ where: { tenant_id: msp.tenant_id }, data })
    expect(outcome(await post(api, msp.key))).toEqual([409, code])
    expect((await api.call(msp.key, 'channel_messages', { channel_id: DESK })).data).toEqual([])
  })

  it('names its sender in one way, whom the channel is for', async () => {
    const msp = await chatMsp()
    const both = { workplace_user_id: 'wp_ada', end_user_id: 'ada' }
    for (const sender of [{}, both]) {
      expect(problems(await post(api, msp.key, { sender }))).toEqual([['sender', 'one_of']])
      expect(problems(await post(api, msp.key, { sender }, SITE))).toEqual([['sender', 'one_of']])
    }
    const at_desk = await post(api, msp.key, { sender: { end_user_id: 'ada' } })
    expect(problems(at_desk)).toEqual([['sender.end_user_id', 'audience']])
    const other = await chatMsp()
    await other.database.prisma.endUser.updateMany({
      where: { tenant_id: other.tenant_id, id: 'ada' },
      data: { workplace_user_id: 'wp_foreign' },
    })
    for (const end_user_id of ['eve', 'nobody'])
      expect(problems(await post(api, msp.key, { sender: { end_user_id } }, SITE))).toEqual([
        ['sender.end_user_id', 'unknown'],
      ])
    for (const workplace_user_id of ['U1', 'wp_foreign'])
      expect(problems(await post(api, msp.key, { sender: { workplace_user_id } }, SITE))).toEqual([
        ['sender.workplace_user_id', 'unknown'],
      ])
    const posted = await post(api, msp.key, { sender: { workplace_user_id: 'wp_ada' } }, SITE)
    expect(posted.data.sender).toEqual({ workplace_user_id: 'wp_ada', end_user_id: 'ada' })
  })

  it('of an end user is for nobody else to go on with', async () => {
    const msp = await chatMsp()
    await playModel([{ text: 'Yes.' }])
    expect((await post(api, msp.key, { sender: { end_user_id: 'ada' } }, SITE)).status).toBe(200)
    const other = await post(api, msp.key, { sender: { end_user_id: 'bob' } }, SITE)
    expect(problems(other)).toEqual([['conversation_id', 'other_person']])
    expect((await post(api, msp.key, { sender: { end_user_id: 'ada' } }, SITE)).status).toBe(200)
  })

  it('is stored without secrets, and so is its answer', async () => {
    const msp = await chatMsp()
    await playModel([{ text: 'Use svc_sk_dev_abcdefghijklmnop.' }])
    await post(api, msp.key, { text: 'My key is svc_sk_dev_qrstuvwxyzabcdef.' })
    const texts = (await answered(api, msp)).map(({ text }: { text: string }) => text)
    expect(texts).toEqual(['My key is [removed].', 'Use [removed].'])
  })

  it('is for who may write to channels and sees the agent', async () => {
    const msp = await chatMsp()
    expect(outcome(await post(api, msp.viewer))).toEqual([403, 'forbidden'])
    const blind = await acting(msp, msp.user)
    const seen = await post(api, blind)
    expect([403, 404]).toContain(seen.status)
    expect(outcome(await api.call(msp.viewer, 'channel_messages', { channel_id: DESK }))).toEqual([
      404,
      'channel_not_found',
    ])
    await addAgents(msp, [{ id: 2, autonomy_type: 'CONVERSATIONAL', created_by_user_id: msp.viewer.id }])
    await msp.database.prisma.channel.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { agent_id: 2 },
    })
    expect((await api.call(msp.viewer, 'channel_messages', { channel_id: DESK })).status).toBe(200)
  })
})
