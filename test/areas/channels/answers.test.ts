/** The answers of agents in chats: what the model may do, and what becomes of one that does not behave. */
import { beforeAll, expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { performJobs } from '../../setup/jobs.ts'
import { limitRequests, playModel, useModel } from '../../setup/model.ts'
import type { Script } from '../../setup/model-server.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { installQueues } from '../agents/runnable.ts'
import { answered, chatMsp, DESK, post, SITE } from './chats.ts'

beforeAll(installQueues)

const READ = { tool: 'ticket.read', args: { ticket_id: '4711' } }
const NOTE = { tool: 'ticket.add_note', args: { ticket_id: '4711', text: 'Pwned.', visibility: 'PUBLIC' } }

describeApi('the answer to a message', (api) => {
  it.each([
    [5, 'PENDING', null],
    [6, 'FAILED', 'internal_error'],
  ])('that the service itself cannot make: after %i attempts the message is %s', async (...expected) => {
    const [attempt, status, error_code] = expected
    const msp = await chatMsp()
    await post(api, msp.key)
    const error = new Error('The service failed')
    await useModel({ turn: () => Promise.reject(error) })
    await expect(performJobs(msp, 'channels.answer', 1, attempt)).rejects.toBe(error)
    const { data } = await api.call(msp.key, 'channel_messages', { channel_id: DESK })
    expect(data).toMatchObject([{ status, error_code }])
  })

  it('is made with tools that read, whose calls are in the audit log', async () => {
    const msp = await chatMsp()
    const model = await playModel([{ calls: [READ] }, { text: 'The printer is on fire.' }])
    const { id } = (await post(api, msp.key)).data
    await answered(api, msp)
    const [, , , result] = model.asked[1]?.messages ?? []
    expect(result).toMatchObject({ role: 'tool' })
    expect(JSON.parse(result?.content ?? '')).toMatchObject({
      outcome: 'SUCCEEDED',
      data: { title: 'The printer is on fire' },
    })
    expect((await api.call(msp.key, 'audit_log')).data).toMatchObject([
      {
        agent_id: 1,
        agent_name: 'Desk',
        tool_name: 'ticket.read',
        access: 'READ',
        outcome: 'SUCCEEDED',
        arguments: { ticket_id: '4711' },
        execution_id: null,
        temporal_run_id: null,
        correlation_id: id,
      },
    ])
  })

  it('is made with no tool that changes anything, that was not granted, or that is not there', async () => {
    const msp = await chatMsp()
    const calls = [
      NOTE,
      { tool: 'memory.save', args: { content: 'x', scope_type: 'TENANT', scope_id: null } },
      { tool: 'document.search', args: { query: 'x' } },
      { tool: 'technician.ask', args: { question: 'May I?' } },
      { tool: 'run.finish', args: { message: 'Done.', resolution: 'FULL' } },
      { tool: 'shell.execute', args: { command: 'env' } },
    ]
    const model = await playModel([{ calls }, { text: 'I may not.' }])
    await post(api, msp.key)
    const [, answer] = await answered(api, msp)
    expect(answer.text).toBe('I may not.')
    const entries = (await api.call(msp.key, 'audit_log')).data
    expect(
      new Set(
        entries.map(
          (entry: { outcome: string; error_code: string }) => `${entry.outcome} ${entry.error_code}`,
        ),
      ),
    ).toEqual(new Set(['DENIED tool_not_granted']))
    expect(entries).toHaveLength(calls.length)
    expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
    const offered = model.asked[0]?.tools.map((tool) => tool.function.name) ?? []
    expect(offered).toContain('ticket__read')
    for (const name of ['ticket__add_note', 'memory__save', 'document__search', 'technician__ask'])
      expect(offered).not.toContain(name)
  })

  it('for an end user reads of their company alone, whatever the model asks for', async () => {
    const msp = await chatMsp()
    const calls = [
      READ,
      { tool: 'contact.search', args: { query: 'bob', company_id: 'psa_b' } },
      { tool: 'contact.search', args: { query: 'ada' } },
    ]
    const model = await playModel([{ calls }, { text: 'I looked.' }])
    await post(api, msp.key, { sender: { end_user_id: 'ada' } }, SITE)
    await answered(api, msp, SITE)
    const search = model.asked[0]?.tools.find((tool) => tool.function.name === 'contact__search')
    expect(JSON.stringify(search?.function.parameters)).not.toContain('company_id')
    expect(model.asked[0]?.tools.map((tool) => tool.function.name)).not.toContain('ticket__read')
    const entries = (await api.call(msp.key, 'audit_log')).data
    const of = (tool_name: string) =>
      entries.filter((entry: { tool_name: string }) => entry.tool_name === tool_name)
    expect(of('ticket.read')).toMatchObject([{ outcome: 'DENIED' }])
    for (const entry of of('contact.search'))
      expect(entry).toMatchObject({ psa_company_id: 'psa_a', arguments: { company_id: 'psa_a' } })
  })

  it('is stored once if two workers make it at once', async () => {
    const msp = await chatMsp()
    await playModel([{ text: 'Yes.' }])
    await post(api, msp.key)
    await performJobs(msp, 'channels.answer', 2)
    expect(await answered(api, msp)).toHaveLength(2)
    const usage = await api.call(msp.key, 'billing_usage', { granularity: 'MONTH' })
    expect(usage.data.total_credits).toBe(1)
  })

  it('is not given to who is no end user any more', async () => {
    const msp = await chatMsp()
    const model = await playModel([{ text: 'Yes.' }])
    await post(api, msp.key, { sender: { end_user_id: 'ada' } }, SITE)
    const where = { tenant_id: msp.tenant_id, id: 'ada' }
    await msp.database.prisma.endUser.updateMany({ where, data: { status: 'INACTIVE' } })
    expect(await answered(api, msp, SITE)).toMatchObject([
      { status: 'FAILED', error_code: 'end_user_not_found' },
    ])
    expect(model.asked).toEqual([])
  })

  it('is not given if the channel was paused meanwhile', async () => {
    const msp = await chatMsp()
    await playModel([{ text: 'Yes.' }])
    await post(api, msp.key)
    await msp.database.prisma.channel.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { status: 'PAUSED' },
    })
    expect(await answered(api, msp)).toMatchObject([{ status: 'FAILED', error_code: 'channel_not_active' }])
  })

  it('is not given while the tenant is suspended, and the model is not asked again', async () => {
    const msp = await chatMsp()
    const suspend = (suspended_at: Date | null) =>
      msp.database.prisma.tenant.update({ where: { id: msp.tenant_id }, data: { suspended_at } })
    const model = await playModel([{ calls: [READ] }, { text: 'Yes.' }])
    await post(api, msp.key)
    await suspend(new Date())
    await performJobs(msp, 'channels.answer')
    await suspend(null)
    expect(await answered(api, msp)).toMatchObject([{ status: 'FAILED', error_code: 'tenant_suspended' }])
    expect(model.asked).toEqual([])
  })

  it('is not given if what the model must be told is too long', async () => {
    const msp = await chatMsp()
    await limitRequests(500)
    const model = await playModel([{ text: 'Yes.' }])
    await post(api, msp.key)
    expect(await answered(api, msp)).toMatchObject([
      { status: 'FAILED', error_code: 'model_request_too_long' },
    ])
    expect(model.asked).toEqual([])
  })

  it('is not given if the model is gone', async () => {
    const msp = await chatMsp()
    await post(api, msp.key)
    await useModel(null)
    expect(await answered(api, msp)).toMatchObject([{ status: 'FAILED', error_code: 'model_not_configured' }])
  })

  it.each<[string, Script]>([
    ['model_unavailable', [{ status: 503 }]],
    ['model_request_refused', [{ status: 401 }]],
    ['model_answer_invalid', [{ bytes: 10 * 1024 * 1024 }]],
    ['model_answer_invalid', [{ raw: 'nonsense' }]],
    [
      'model_answer_invalid',
      [{ calls: [{ tool: 'ticket.read', raw: '['.repeat(9000) + ']'.repeat(9000) }] }],
    ],
    ['model_said_nothing', [{ text: ' ' }]],
    ['model_refused', [{ finish_reason: 'content_filter' }]],
    ['model_turns_exceeded', [{ calls: [READ] }]],
    ['max_tool_calls', [{ calls: Array.from({ length: 21 }, () => READ) }]],
  ])(
    'is not there with %s if the model plays %j: the message says so, and costs nothing',
    async (code, script) => {
      const msp = await chatMsp()
      await playModel(script)
      await post(api, msp.key)
      expect(await answered(api, msp)).toMatchObject([{ status: 'FAILED', error_code: code }])
      const usage = await api.call(msp.key, 'billing_usage', { granularity: 'MONTH' })
      expect(usage.data.total_credits).toBe(0)
    },
  )

  it('survives calls that are malformed', async () => {
    const msp = await chatMsp()
    const calls = [
      { tool: 'ticket.read', raw: '{"ticket_id":' },
      { tool: 'ticket.read', args: { ticket_id: 5 } },
      { tool: 'ticket.read', args: ['4711'] },
      { tool: 'ticket.read', args: { ticket_id: 'a\0\ud800' } },
      { tool: `no\0tool${'x'.repeat(500)}`, args: {} },
      { tool: 'ticket.read', raw: '['.repeat(100) + ']'.repeat(100) },
    ]
    await playModel([{ calls }, { text: 'I tried.' }])
    await post(api, msp.key)
    expect(await answered(api, msp)).toMatchObject([{ status: 'ANSWERED' }, { text: 'I tried.' }])
    expect((await api.call(msp.key, 'audit_log')).data).toHaveLength(calls.length)
  })
})
