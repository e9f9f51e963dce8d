import { beforeAll, expect, it } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { connect } from '../setup/agent-bodies.ts'
import { describeApi, outcome } from '../setup/api.ts'
import { performJobs } from '../setup/jobs.ts'
import { playModel, useModel } from '../setup/model.ts'
import { journeyMsp, SUPERVISED, storyOf, TICKET } from './story.ts'
import { expectVerifiedAuditLog, expectWholeTrail } from './trail.ts'

beforeAll(installQueues)

const GRANTS = { grants: [{ system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }] }
const AGENTIC = {
  autonomy_type: 'AGENTIC',
  toolbox: { tools: ['contact.read'] },
  integrations: GRANTS,
}
const READ = { tool: 'ticket.read', args: { ticket_id: TICKET } }
const NOTE = {
  tool: 'ticket.add_note',
  args: { ticket_id: TICKET, text: 'We are on it.', visibility: 'INTERNAL' },
}
const ASK = {
  tool: 'technician.ask',
  args: { question: 'Which Jane?', options: ['In Sales', 'In Finance'] },
}
const PLAN = { tool: 'run.propose_plan', args: { steps: ['Tell her.'] } }
const END = { tool: 'run.finish', args: { message: 'It is done.', resolution: 'FULL', confidence: 0.9 } }

describeApi('the journey of an agent that a model leads', (api) => {
  async function agentic() {
    const msp = await journeyMsp()
    await connect(msp, 'halo-psa')
    const story = storyOf(api, msp)
    return { msp, story, agent_id: await story.createAgent(AGENTIC) }
  }

  it('works with its tools, and ends as the model says', async () => {
    const { msp, story, agent_id } = await agentic()
    await playModel([{ text: 'I read first.', calls: [READ] }, { calls: [NOTE] }, { calls: [END] }])
    const { execution_id } = await story.run(agent_id)
    await story.work()
    expect(await story.execution(execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
      message_for_dashboard: 'It is done.',
    })
    expect(await story.notes()).toMatchObject([{ text: 'We are on it.' }])
    await expectWholeTrail(story, msp, execution_id)
  })

  it('shows the plan that the model proposes, and its write waits too', async () => {
    const { msp, story, agent_id } = await agentic()
    await playModel([{ calls: [READ] }, { calls: [PLAN] }, { calls: [NOTE] }, { calls: [END] }])
    const { execution_id } = await story.run(agent_id, SUPERVISED)
    await story.work()
    expect(await story.open(execution_id)).toMatchObject({ kind: 'PLAN', plan: [{ text: 'Tell her.' }] })
    await story.approve(execution_id)
    expect(await story.open(execution_id)).toMatchObject({ kind: 'WRITE', tool_name: 'ticket.add_note' })
    expect(await story.notes()).toEqual([])
    const edited_arguments = { ...NOTE.args, text: 'Edited.' }
    await story.approve(execution_id, { edited_arguments })
    expect(await story.notes()).toMatchObject([{ text: 'Edited.' }])
    expect(await story.execution(execution_id)).toMatchObject({ status: 'COMPLETED', run_count: 3 })
    await expectWholeTrail(story, msp, execution_id)
  })

  it('is told of a rejection, and does something else', async () => {
    const { msp, story, agent_id } = await agentic()
    const model = await playModel([
      { calls: [PLAN] },
      { calls: [NOTE] },
      { calls: [{ tool: 'run.finish', args: { message: 'She was not told.', resolution: 'NONE' } }] },
    ])
    const { execution_id } = await story.run(agent_id, SUPERVISED)
    await story.work()
    await story.approve(execution_id)
    await story.reject(execution_id, 'She knows.')
    expect(await story.execution(execution_id)).toMatchObject({ status: 'COMPLETED', resolution: 'NONE' })
    expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('She knows.')
    expect(await story.notes()).toEqual([])
    await expectWholeTrail(story, msp, execution_id)
  })

  it('asks a question, is answered once, and is supervised after every decision', async () => {
    const { msp, story, agent_id } = await agentic()
    const model = await playModel([ASK, PLAN, NOTE, END].map((call) => ({ calls: [call] })))
    const { execution_id } = await story.run(agent_id, SUPERVISED)
    await story.work()
    expect(await story.execution(execution_id)).toMatchObject({ status: 'WAITING_FOR_INPUT' })
    const { id: til_request_id, ...question } = await story.open(execution_id)
    const options = [
      { id: '1', label: 'In Sales' },
      { id: '2', label: 'In Finance' },
    ]
    expect(question).toMatchObject({ kind: 'QUESTION', question: 'Which Jane?', options })
    const decide = (operation: string, input: object) =>
      api.call(msp.admin, operation, { til_request_id, input })
    expect(outcome(await decide('approve_til_request', {}))).toEqual([409, 'decision_not_allowed'])
    await story.done(msp.admin, 'answer_til_request', { til_request_id, input: { option_id: '2' } })
    const again = await decide('answer_til_request', { option_id: '1' })
    expect(outcome(again)).toEqual([409, 'til_request_closed'])
    await story.work()
    expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('In Finance')
    expect(await story.approve(execution_id)).toMatchObject({ kind: 'PLAN', status: 'APPROVED' })
    expect(await story.approve(execution_id)).toMatchObject({ kind: 'WRITE', status: 'APPROVED' })
    expect(await story.requests(execution_id)).toMatchObject([
      { kind: 'QUESTION', status: 'ANSWERED', answer_option_id: '2' },
      { kind: 'PLAN' },
      { kind: 'WRITE' },
    ])
    expect(await story.execution(execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
      supervised: true,
      run_count: 4,
    })
    await expectWholeTrail(story, msp, execution_id)
  })

  it('is cancelled while its question waits, which nobody answers any more, and is retried', async () => {
    const { msp, story, agent_id } = await agentic()
    await playModel([{ calls: [READ, ASK] }])
    const { execution_id } = await story.run(agent_id, SUPERVISED)
    await story.work()
    const { id: til_request_id } = await story.open(execution_id)
    expect(await story.done(msp.admin, 'cancel_execution', { execution_id })).toMatchObject({
      status: 'CANCELLED',
      pending_til_request_count: 0,
    })
    const late = await api.call(msp.user, 'answer_til_request', { til_request_id, input: { option_id: '1' } })
    expect([...outcome(late), late.error?.details]).toMatchObject([
      409,
      'til_request_closed',
      { status: 'CANCELLED' },
    ])
    expect(await story.work()).toBe(0)
    await expectWholeTrail(story, msp, execution_id)
    await playModel([{ calls: [END] }])
    const retried = await story.done(msp.key, 'retry_execution', { execution_id })
    await story.work()
    expect(await story.execution(retried.execution_id)).toMatchObject({
      status: 'COMPLETED',
      trigger: 'RETRY',
      retry_of_execution_id: execution_id,
      supervised: true,
    })
  })

  it('does not begin without a model, and nothing changes', async () => {
    const { msp, story, agent_id } = await agentic()
    await useModel(null)
    const refused = await api.call(msp.key, 'run_agent_now', { agent_id, input: { entity_id: TICKET } })
    expect(outcome(refused)).toEqual([409, 'model_not_configured'])
    expect(await story.done(msp.key, 'executions')).toEqual([])
    expect(await story.work()).toBe(0)
  })
})

describeApi('the journey of a message on a channel', (api) => {
  it('that the model answers: credits are consumed, and there is no execution', async () => {
    const msp = await journeyMsp()
    await connect(msp, 'halo-psa')
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({
      autonomy_type: 'CONVERSATIONAL',
      trigger_type: undefined,
      entity_type: undefined,
      agent_settings: {},
      integrations: GRANTS,
    })
    const channel = await story.done(msp.key, 'create_channel', {
      input: { name: 'Help', agent_id, transport: 'WEB_CHAT', audience: 'TECHNICIANS' },
    })
    await msp.database.prisma.channel.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { status: 'ACTIVE' },
    })
    await playModel([{ calls: [READ] }, { text: 'It is new.' }])
    const channel_id = channel.id
    const sender = { workplace_user_id: 'U1' }
    const { id } = await story.done(msp.key, 'post_channel_message', {
      channel_id,
      input: { conversation_id: 'one', sender, text: 'What about 4711?' },
    })
    await performJobs(msp, 'channels.answer')
    const messages = await story.done(msp.key, 'channel_messages', { channel_id })
    expect(messages).toHaveLength(2)
    expect(messages.find(({ author }: { author: string }) => author === 'AGENT')).toMatchObject({
      text: 'It is new.',
      status: 'SENT',
      reply_to_message_id: id,
    })
    expect(await story.done(msp.key, 'executions')).toEqual([])
    expect(await story.done(msp.key, 'performance_summary', {})).toMatchObject({
      total_executions: 0,
      total_hours_saved: 0,
      credits_consumed: 2,
    })
    const usage = await story.done(msp.key, 'billing_usage', { granularity: 'MONTH' })
    expect(usage.total_credits).toBe(2)
    await expectVerifiedAuditLog(story, msp)
  })
})
