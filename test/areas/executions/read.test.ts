import { expect, it } from 'vitest'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { world } from '../../setup/world.ts'
import { ids, list, read, sharedRuns } from './runs.ts'

describeApi('executions', (api) => {
  it('are not there if the caller does not see their agent, of another tenant or environment, or missing', async () => {
    const msp = await sharedRuns()
    const other = await world()
    const elsewhere = { ...msp, environment: 'elsewhere' }
    await addAgents(other, [{ id: 1 }])
    await addExecutions(other, [{ execution_id: 'theirs', agent_id: 1 }])
    await addAgents(elsewhere, [{ id: 1 }])
    await addExecutions(elsewhere, [{ execution_id: 'elsewhere', agent_id: 1 }])
    for (const id of ['d1', 'theirs', 'elsewhere', 'nowhere', '%', "'"]) {
      const { status, error } = await read(api, msp.user, id)
      expect([status, error]).toEqual([
        404,
        {
          code: 'execution_not_found',
          message: 'There is no such execution.',
          details: { id, docs_url: '/public-api/docs/errors#execution_not_found' },
        },
      ])
    }
    expect(ids(await list(api, msp.key, { agent_id: 1 }))).toEqual(['a2', 'a1'])
  })

  it.each(['\u0000', '\ud800', 'x'.repeat(201), ' '])('have no execution %j', async (id) => {
    const msp = await sharedRuns()
    const { status, error } = await read(api, msp.key, id)
    expect([status, error?.code]).toEqual([404, 'execution_not_found'])
  })
})
