import { beforeAll, expect, it } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { describeApi, outcome } from '../setup/api.ts'
import { journeyMsp, NOTE, SUPERVISED, storyOf } from './story.ts'
import { expectWholeTrail } from './trail.ts'

beforeAll(installQueues)

describeApi('the journey of a run that is cancelled while it waits', (api) => {
  it.each([
    ['for its plan', 0],
    ['for a write', 1],
  ])('%s, and is retried', async (_what, approvals) => {
    const msp = await journeyMsp()
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({ actions: [NOTE] })
    const additional_custom_instructions = 'In French.'
    const { execution_id } = await story.run(agent_id, { ...SUPERVISED, additional_custom_instructions })
    await story.work()
    for (let approved = 0; approved < approvals; approved++) await story.approve(execution_id)
    const { id: til_request_id } = await story.open(execution_id)
    const input = { reason: 'She solved it.' }
    expect(await story.done(msp.key, 'cancel_execution', { execution_id, input })).toMatchObject({
      status: 'CANCELLED',
      error: 'She solved it.',
      pending_til_request_count: 0,
      resolution: 'NONE',
    })
    expect(await story.done(msp.key, 'til_request', { til_request_id })).toMatchObject({
      status: 'CANCELLED',
      approvals: [],
      resumed_temporal_run_id: null,
    })
    const late = await api.call(msp.user, 'approve_til_request', { til_request_id, input: {} })
    expect([...outcome(late), late.error?.details]).toMatchObject([
      409,
      'til_request_closed',
      { status: 'CANCELLED' },
    ])
    expect(await story.work()).toBe(0)
    expect(await story.notes()).toEqual([])
    await expectWholeTrail(story, msp, execution_id)

    const retried = await story.done(msp.key, 'retry_execution', { execution_id })
    expect(retried).toMatchObject({
      status: 'NEW',
      trigger: 'RETRY',
      retry_of_execution_id: execution_id,
      supervised: true,
      additional_custom_instructions,
    })
    await story.work()
    await story.approve(retried.execution_id)
    await story.approve(retried.execution_id)
    expect(await story.execution(retried.execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
    })
    expect(await story.notes()).toHaveLength(1)
    await expectWholeTrail(story, msp, retried.execution_id)
    const refused = await api.call(msp.key, 'retry_execution', { execution_id: retried.execution_id })
    expect(outcome(refused)).toEqual([409, 'execution_not_retryable'])
    const ended = await api.call(msp.key, 'cancel_execution', { execution_id: retried.execution_id })
    expect(outcome(ended)).toEqual([409, 'execution_not_cancellable'])
  })
})
