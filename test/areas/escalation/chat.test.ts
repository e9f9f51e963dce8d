/** People in chats who ask for a person. */
import { beforeAll, expect, it } from 'vitest'
import { ANSWER_MESSAGE } from '../../../src/areas/channels/declared.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import { enqueue } from '../../../src/jobs/enqueue.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { describeApi } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { addPolicy, escalationsOf } from '../../setup/escalations.ts'
import { performJobs } from '../../setup/jobs.ts'
import { playModel, useModel } from '../../setup/model.ts'
import { installQueues } from '../agents/runnable.ts'
import { answered, chatMsp, DESK, post, SITE } from '../channels/chats.ts'
import { answersIn } from '../executions/run/agentic.ts'

beforeAll(installQueues)

const BOTH = ['AGENT_GAVE_UP', 'END_USER_ASKED_FOR_HUMAN'] as const
const RAISE = { tool: 'escalation.raise', args: { reason: 'Ada wants a person.', end_user_asked: true } }
const ADA = { sender: { end_user_id: 'ada' } }

describeApi('a chat', (api) => {
  it('goes to people if an end user asks for a person', async () => {
    const msp = await chatMsp()
    const policy_id = await addPolicy(msp, { triggers: [...BOTH] })
    const model = await playModel([{ calls: [RAISE] }, { text: 'A person takes over.' }])
    const { id: message_id } = (await post(api, msp.key, ADA, SITE)).data
    const [, answer] = await answered(api, msp, SITE)
    expect(answer.text).toBe('A person takes over.')
    const [escalation, ...others] = await escalationsOf(msp)
    expect(others).toEqual([])
    expect(escalation).toMatchObject({
      policy_id,
      trigger: 'END_USER_ASKED_FOR_HUMAN',
      reason: 'Ada wants a person.',
      agent_id: 1,
      execution_id: null,
      entity_id: null,
      subject: `CHAT/${SITE}/one`,
    })
    expect(answersIn(model.asked[1])).toEqual([
      {
        outcome: 'SUCCEEDED',
        data: { event_id: escalation?.id },
        message: expect.stringContaining('handed over to people'),
      },
    ])
    const tool = model.asked[0]?.tools.find(({ function: { name } }) => name === 'escalation__raise')
    expect(JSON.stringify(tool?.function.parameters)).not.toContain('company_id')
    expect(model.asked[0]?.messages[0]?.content).toContain('escalation.raise')
    expect((await api.call(msp.key, 'audit_log')).data).toMatchObject([
      {
        tool_name: 'escalation.raise',
        access: 'WRITE',
        outcome: 'SUCCEEDED',
        arguments: RAISE.args,
        correlation_id: message_id,
      },
    ])
  })

  it('goes to people if its agent cannot help a technician', async () => {
    const msp = await chatMsp()
    await addPolicy(msp, { triggers: [...BOTH] })
    await playModel([
      { calls: [{ tool: 'escalation.raise', args: { reason: 'No idea.' } }] },
      { text: 'Sorry.' },
    ])
    await post(api, msp.key)
    await answered(api, msp)
    expect(await escalationsOf(msp)).toMatchObject([
      { trigger: 'AGENT_GAVE_UP', subject: `CHAT/${DESK}/one` },
    ])
  })

  it('that two workers answer at once has one escalation, and so has one that asks again', async () => {
    const msp = await chatMsp()
    await addPolicy(msp, { triggers: [...BOTH] })
    const model = await playModel((asked) =>
      answersIn(asked).length === 0 ? { calls: [RAISE] } : { text: 'A person takes over.' },
    )
    await post(api, msp.key, ADA, SITE)
    await performJobs(msp, 'channels.answer', 2)
    await post(api, msp.key, { ...ADA, text: 'Where are they?' }, SITE)
    await answered(api, msp, SITE)
    const [escalation, ...others] = await escalationsOf(msp)
    expect(others).toEqual([])
    const ids = model.asked.flatMap((asked) => answersIn(asked).map(({ data }) => data.event_id))
    expect(ids.length).toBeGreaterThanOrEqual(2)
    expect(new Set(ids)).toEqual(new Set([escalation?.id]))
    await post(api, msp.key, { ...ADA, conversation_id: 'two' }, SITE)
    await answered(api, msp, SITE)
    expect(await escalationsOf(msp)).toHaveLength(2)
  })

  it('whose answer is begun again makes the same call, also if people are done meanwhile', async () => {
    const msp = await chatMsp()
    await addPolicy(msp, { triggers: [...BOTH] })
    const model = await playModel([{ calls: [RAISE] }, { text: 'A person takes over.' }])
    const { id: message_id } = (await post(api, msp.key, ADA, SITE)).data
    const services = (await testApp()).app.services
    const lost = new Error('The worker is lost')
    const reply = services.model?.turn
    let turns = 0
    await useModel({
      turn: (question) => (turns++ === 0 && reply ? reply(question) : Promise.reject(lost)),
    })
    await expect(performJobs(msp, 'channels.answer')).rejects.toBe(lost)
    const [first] = await escalationsOf(msp)
    const { tenant_id, environment } = msp
    await msp.database.prisma.escalationEvent.updateMany({
      where: { tenant_id },
      data: { status: 'RESOLVED' },
    })
    const ctx = serviceContext(services, 'test', 'test', { tenant_id, environment })
    await inTransaction(ctx, 5000, () => enqueue(ctx, ANSWER_MESSAGE, { message_id }))
    await playModel([{ calls: [RAISE] }, { text: 'A person took over.' }])
    await answered(api, msp, SITE)
    expect(model.asked).toHaveLength(1)
    expect(await escalationsOf(msp)).toMatchObject([{ id: first?.id, status: 'RESOLVED' }])
  })

  it('without a policy stays with its agent', async () => {
    const msp = await chatMsp()
    const model = await playModel([{ calls: [RAISE] }, { text: 'I cannot.' }])
    await post(api, msp.key, ADA, SITE)
    await answered(api, msp, SITE)
    expect(answersIn(model.asked[1])).toMatchObject([{ outcome: 'DENIED', error_code: 'tool_not_granted' }])
    expect(model.asked[0]?.tools.map((tool) => tool.function.name)).not.toContain('escalation__raise')
    expect(model.asked[0]?.messages[0]?.content).not.toContain('escalation.raise')
    expect(await escalationsOf(msp)).toEqual([])
  })

  it('of a long id is one subject of at most 200 characters', async () => {
    const msp = await chatMsp()
    await addPolicy(msp, { triggers: [...BOTH] })
    const { services } = (await testApp()).app
    const { tenant_id, environment } = msp
    const port = services.connectors.escalations(
      serviceContext(services, 'test', 'test', { tenant_id, environment }),
    )
    const raised = { agent_id: 1, reason: 'x', end_user_asked: true }
    const long = (end: string) => ({ channel_id: SITE, conversation_id: `${'c'.repeat(255)}${end}` })
    const first = await port.raise({ ...raised, work: long('1') }, 'one')
    expect(await port.raise({ ...raised, work: long('1') }, 'two')).toEqual(first)
    expect(await port.raise({ ...raised, work: long('2') }, 'three')).not.toEqual(first)
    for (const { subject } of await escalationsOf(msp)) expect(subject.length).toBeLessThanOrEqual(200)
  })
})
