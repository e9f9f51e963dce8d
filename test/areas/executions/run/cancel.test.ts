import { beforeAll, expect, it } from 'vitest'
import { addExecutions } from '../../../setup/agents.ts'
import { describeApi, outcome } from '../../../setup/api.ts'
import { activitiesOf } from '../../../setup/audit-log.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { performRuns } from '../../../setup/runs.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, executionOf, start } from './chain.ts'

beforeAll(installQueues)

describeApi('cancelling an execution', (api) => {
  it('that waits to be taken up leaves nothing to be done', async () => {
    const msp = await chainMsp()
    const execution_id = await start(api, msp)
    const input = { reason: 'The customer solved it.' }
    const { status, data } = await api.call(msp.key, 'cancel_execution', { execution_id, input })
    expect([status, data]).toMatchObject([
      200,
      {
        execution_id,
        status: 'CANCELLED',
        error: 'The customer solved it.',
        run_count: 0,
        resolution: 'NONE',
      },
    ])
    expect(data.finished_at).not.toBeNull()
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toEqual(data)
    expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
    expect((await activitiesOf(msp)).map(({ action }) => action).sort()).toEqual([
      'execution.cancelled',
      'execution.started',
    ])
  })

  it('again changes nothing, and needs no reason', async () => {
    const msp = await chainMsp()
    const execution_id = await start(api, msp)
    const first = await api.call(msp.key, 'cancel_execution', { execution_id })
    const again = await api.call(msp.key, 'cancel_execution', { execution_id, input: { reason: 'Again.' } })
    expect([again.status, again.data]).toEqual([200, first.data])
    expect(await activitiesOf(msp)).toHaveLength(2)
  })

  it.each(['COMPLETED', 'FAILED', 'TIMED_OUT', 'SKIPPED'] as const)(
    'is refused of one that is %s',
    async (status) => {
      const msp = await chainMsp()
      await addExecutions(msp, [{ execution_id: 'ended', agent_id: 1, status }])
      const refused = await api.call(msp.key, 'cancel_execution', { execution_id: 'ended' })
      expect(outcome(refused)).toEqual([409, 'execution_not_cancellable'])
      expect(refused.error?.details).toMatchObject({ id: 'ended', current_status: status })
      expect(await activitiesOf(msp)).toEqual([])
    },
  )

  it.each(['RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT'] as const)(
    'ends one that is %s',
    async (status) => {
      const msp = await chainMsp()
      await addExecutions(msp, [{ execution_id: 'live', agent_id: 1, entity_id: '4711', status }])
      const { data } = await api.call(msp.key, 'cancel_execution', { execution_id: 'live' })
      expect(data.status).toBe('CANCELLED')
      expect(
        (await api.call(msp.key, 'run_agent_now', { agent_id: 1, input: { entity_id: '4711' } })).data,
      ).toMatchObject({ already_live: false, status: 'NEW' })
    },
  )

  it('is for whoever sees the agent', async () => {
    const msp = await chainMsp()
    const execution_id = await start(api, msp)
    const hidden = await api.call(msp.user, 'cancel_execution', { execution_id })
    expect(outcome(hidden)).toEqual([404, 'execution_not_found'])
  })
})

describeApi('retrying an execution', (api) => {
  it('starts another one, with the same instructions and supervision', async () => {
    const msp = await chainMsp()
    const first = {
      execution_id: 'first' as const,
      agent_id: 1,
      entity_id: '4711' as const,
      entity_number: 'T-4711' as const,
      status: 'FAILED' as const,
      supervised: true,
      additional_custom_instructions: 'In French.' as const,
    }
    await addExecutions(msp, [first])
    const { status, data } = await api.call(msp.key, 'retry_execution', { execution_id: 'first' })
    expect([status, data]).toMatchObject([
      200,
      {
        status: 'NEW',
        trigger: 'RETRY',
        retry_of_execution_id: 'first',
        supervised: true,
        entity_id: '4711',
        entity_number: 'T-4711',
        additional_custom_instructions: 'In French.',
      },
    ])
    expect(await activitiesOf(msp)).toMatchObject([{ action: 'execution.started' }])
    const again = await api.call(msp.key, 'retry_execution', { execution_id: 'first' })
    expect(outcome(again)).toEqual([409, 'execution_not_retryable'])
    expect(again.error?.details).toMatchObject({
      current_status: 'FAILED',
      live_execution_id: data.execution_id,
    })
  })

  it.each(['NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT', 'COMPLETED', 'SKIPPED'] as const)(
    'is refused of one that is %s',
    async (status) => {
      const msp = await chainMsp()
      await addExecutions(msp, [{ execution_id: 'other', agent_id: 1, status }])
      const refused = await api.call(msp.key, 'retry_execution', { execution_id: 'other' })
      expect([...outcome(refused), refused.error?.details.current_status]).toEqual([
        409,
        'execution_not_retryable',
        status,
      ])
    },
  )

  it.each(['FAILED', 'TIMED_OUT', 'CANCELLED'] as const)('of one that was %s runs', async (status) => {
    const msp = await chainMsp()
    await addExecutions(msp, [{ execution_id: 'first', agent_id: 1, entity_id: '4711', status }])
    const { data } = await api.call(msp.key, 'retry_execution', { execution_id: 'first' })
    await performRuns(msp)
    expect(await executionOf(api, msp, data.execution_id)).toMatchObject({ status: 'COMPLETED' })
  })

  it('is refused of an agent that is not active', async () => {
    const msp = await chainMsp(undefined, { state: 'PAUSED' })
    await addExecutions(msp, [{ execution_id: 'first', agent_id: 1, status: 'FAILED' }])
    const refused = await api.call(msp.key, 'retry_execution', { execution_id: 'first' })
    expect(outcome(refused)).toEqual([409, 'agent_not_active'])
  })
})
