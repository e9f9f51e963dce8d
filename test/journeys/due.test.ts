import { beforeAll, expect, it } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { describeApi, outcome } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { performOccurrences, startDueOf, takeSchedulesOf } from '../setup/due.ts'
import { useModel } from '../setup/model.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { journeyMsp, LEAD, NOTE, storyOf, TICKET } from './story.ts'
import { expectWholeTrail } from './trail.ts'

beforeAll(installQueues)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const soon = () => new Date(clock.now().getTime() + 2 * MINUTE_MS).toISOString()

describeApi('the journey of a scheduled entry', (api) => {
  it('that becomes due, starts its agent and is done', async () => {
    const msp = await journeyMsp()
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({ actions: [NOTE] })
    const { id } = await story.done(msp.key, 'create_scheduled_work', {
      input: {
        workflow_id: agent_id,
        ticket_id: TICKET,
        scheduled_for: soon(),
        additional_custom_instructions: 'Be brief.',
      },
    })
    const entry = () => story.done(msp.key, 'scheduled_work_entry', { entry_id: id })
    await startDueOf(msp)
    expect(await entry()).toMatchObject({ status: 'PENDING', execution_id: null, ticket_number: 'T-4711' })
    clock.advance(3 * MINUTE_MS)
    await startDueOf(msp)
    await story.work()
    const { execution_id, ...done } = await entry()
    const [run] = await story.runs(execution_id)
    expect(done).toMatchObject({
      status: 'COMPLETED',
      attempt: 1,
      execution_temporal_run_id: run.temporal_run_id,
      executed_at: expect.any(String),
      execution_message: expect.any(String),
    })
    expect(await story.execution(execution_id)).toMatchObject({
      status: 'COMPLETED',
      trigger: 'SCHEDULED_WORK',
      additional_custom_instructions: 'Be brief.',
    })
    expect(await story.notes()).toHaveLength(1)
    const cancel = await api.call(msp.key, 'cancel_scheduled_work', { entry_id: id })
    expect([...outcome(cancel), cancel.error?.details]).toMatchObject([
      409,
      'scheduled_work_not_cancellable',
      { current_status: 'COMPLETED', execution_id },
    ])
    await expectWholeTrail(story, msp, execution_id)
  })

  it('of an agent that is supervised waits for its technicians', async () => {
    const msp = await journeyMsp()
    const story = storyOf(api, msp)
    const agent_settings = { supervised: true, supervisor_technician_ids: [LEAD] }
    const agent_id = await story.createAgent({ actions: [NOTE], agent_settings })
    const input = { workflow_id: agent_id, ticket_id: TICKET, scheduled_for: soon() }
    await story.done(msp.key, 'create_scheduled_work', { input })
    clock.advance(3 * MINUTE_MS)
    await startDueOf(msp)
    await story.work()
    const [{ execution_id }] = await story.done(msp.key, 'executions', { trigger: 'SCHEDULED_WORK' })
    const decided = async () => {
      const { id: til_request_id, technician_ids } = await story.open(execution_id)
      expect(technician_ids).toEqual([LEAD])
      await story.done(msp.admin, 'approve_til_request', { til_request_id, input: {} })
      await story.work()
    }
    await decided()
    expect(await story.notes()).toEqual([])
    await decided()
    expect(await story.execution(execution_id)).toMatchObject({ status: 'COMPLETED', supervised: true })
    expect(await story.notes()).toHaveLength(1)
    await expectWholeTrail(story, msp, execution_id)
  })

  it('of an agent whose model is not there fails, and says so', async () => {
    const msp = await journeyMsp()
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({
      autonomy_type: 'AGENTIC',
      toolbox: { tools: ['contact.read'] },
    })
    const input = { workflow_id: agent_id, ticket_id: TICKET, scheduled_for: soon() }
    await story.done(msp.key, 'create_scheduled_work', { input })
    await useModel(null)
    clock.advance(3 * MINUTE_MS)
    await startDueOf(msp)
    await story.work()
    expect(await story.done(msp.key, 'executions')).toEqual([])
    const [entry] = await story.done(msp.key, 'scheduled_work')
    expect(entry).toMatchObject({
      status: 'FAILED',
      attempt: 1,
      execution_id: null,
      execution_message: 'The agent thinks with a language model, and the service has none.',
    })
  })
})

describeApi('the journey of an agent with a schedule', (api) => {
  it('that works on every ticket that meets its conditions, once at each occurrence', async () => {
    const msp = await journeyMsp()
    const story = storyOf(api, msp)
    clock.turn(HOUR_MS - (clock.now().getTime() % HOUR_MS) - 10 * MINUTE_MS)
    await addPsaTickets(msp, [{ ticket_id: '4713', board: 'Desk' }])
    const rules = [{ field: 'board', operator: 'equals', value: 'Desk' }]
    await story.createAgent({
      trigger_type: 'SCHEDULED',
      actions: [NOTE],
      ticket_conditions: { match: 'ALL', rules },
      schedule: { cron: '0 * * * *', timezone: 'Europe/London' },
    })
    const tick = async () => {
      await takeSchedulesOf(msp)
      await performOccurrences(msp)
      await story.work()
      return (await story.done(msp.key, 'executions', { trigger: 'SCHEDULED' })).length
    }
    expect(await tick()).toBe(0)
    clock.advance(11 * MINUTE_MS)
    expect(await tick()).toBe(2)
    expect(await tick()).toBe(2)
    clock.advance(HOUR_MS)
    expect(await tick()).toBe(4)
    const executions = await story.done(msp.key, 'executions')
    for (const { execution_id, ...execution } of executions) {
      expect(execution).toMatchObject({ status: 'COMPLETED', resolution: 'FULL', trigger: 'SCHEDULED' })
      await expectWholeTrail(story, msp, execution_id)
    }
    expect((await story.notes()).length + (await story.notes('4713')).length).toBe(4)
    expect(await story.notes('4712')).toEqual([])
  })
})
