import { describe, expect, it } from 'vitest'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { apis } from '../../setup/api.ts'
import { request } from '../../setup/http.ts'
import { world } from '../../setup/world.ts'
import { at, type Row, sharedRuns } from './runs.ts'

describe('executions over REST', () => {
  it.each([
    ['status=FAILED,NEW', ['b', 'a']],
    ['status=FAILED&status=NEW', ['b', 'a']],
    ['status=FAILED&status=NEW,FAILED', ['b', 'a']],
    ['status=FAILED', ['a']],
  ])('take %s', async (query, expected) => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addExecutions(msp, [
      { execution_id: 'a', agent_id: 1, status: 'FAILED', created_at: at(0) },
      { execution_id: 'b', agent_id: 1, status: 'NEW', created_at: at(1) },
      { execution_id: 'c', agent_id: 1, created_at: at(2) },
    ])
    const response = await request(`/public-api/executions?${query}`, {}, msp.key)
    const { data } = await response.json()
    expect(data.map(({ execution_id }: Row) => execution_id)).toEqual(expected)
  })

  it.each(['status=', 'status=FAILED,', 'status=FAILED%2Cdone'])('refuse %s', async (query) => {
    const msp = await world()
    const response = await request(`/public-api/executions?${query}`, {}, msp.key)
    expect([response.status, (await response.json()).error.code]).toEqual([422, 'request_validation_failed'])
  })

  it('have no relations', async () => {
    const msp = await sharedRuns()
    const rest = apis.find(({ name }) => name === 'rest')
    const execution = await rest?.call(msp.key, 'execution', { execution_id: 'a1' })
    const agent = await rest?.call(msp.key, 'agent', { agent_id: 1 })
    expect(Object.keys(execution?.data)).not.toContain('agent')
    expect(Object.keys(agent?.data)).not.toContain('executions')
  })
})
