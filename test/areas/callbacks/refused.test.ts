/** Agents that match and cannot start: the match says which error kept them from it. */
import { beforeAll, expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { processCallbacksOf } from '../../setup/due.ts'
import { useModel } from '../../setup/model.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { happen } from './events.ts'
import { matchesOf } from './rows.ts'

beforeAll(installQueues)

const callback_settings = { change_types: ['TICKET_CREATED'] }
const rule = { field: 'priority', operator: 'equals', value: 'Low' }
const held = { field: 'priority', operator: 'equals', expected: 'Low', actual: 'Low', holds: true }

/** A new ticket, an agent that needs a model, and one that needs none. */
async function newTicket(): Promise<Msp> {
  const msp = await world()
  await addPsaTickets(msp, [{ ticket_id: '1', priority: 'Low' }])
  await addAgents(msp, [
    { id: 1, callback_settings, ticket_conditions: { match: 'ALL', rules: [rule] } },
    { id: 2, callback_settings, autonomy_type: 'CHAINED_ACTIONS' },
  ])
  return msp
}

describeApi('the match of an agent whose start is refused', (api) => {
  const refused = {
    agent_id: 1,
    agent_name: 'Agent 1',
    result: 'SKIPPED',
    reason_code: 'START_REFUSED',
    failed_conditions: [],
    comparisons: [held],
    refusal: { code: 'model_not_configured', message: expect.stringContaining('model') },
  }

  it('tells the error, and what was compared; the others start', async () => {
    const msp = await newTicket()
    await useModel(null)
    const { id } = await happen(msp, [{ event_id: 'e1', action: 'CREATED' }])
    const { data } = await matchesOf(api, msp.key, id)
    expect(data).toEqual([
      { ...refused, execution_id: null },
      {
        agent_id: 2,
        agent_name: 'Agent 2',
        result: 'MATCHED',
        reason_code: null,
        failed_conditions: [],
        comparisons: [],
        refusal: null,
        execution_id: expect.any(String),
      },
    ])
  })

  it('is made again with the callback, and has no refusal once the agent starts', async () => {
    const msp = await newTicket()
    const services = { ...(await testApp()).app.services, model: null }
    const { id, matches } = await happen(msp, [{ event_id: 'e1', action: 'CREATED' }], services)
    expect(matches).toMatchObject([{ reason_code: 'START_REFUSED' }, { result: 'MATCHED' }])
    const { callback } = msp.database.prisma
    await callback.updateMany({ where: { tenant_id: msp.tenant_id, id }, data: { status: 'FAILED' } })
    expect((await api.call(msp.key, 'reprocess_callback', { callback_id: id })).status).toBe(200)
    await processCallbacksOf(msp)
    expect((await matchesOf(api, msp.key, id)).data).toMatchObject([
      { agent_id: 1, result: 'MATCHED', reason_code: null, refusal: null, comparisons: [held] },
      { agent_id: 2, result: 'MATCHED' },
    ])
  })

  it('is foretold by a test of matches', async () => {
    const msp = await newTicket()
    const input = { entity_id: '1', change_types: ['TICKET_CREATED'] }
    const test = () => api.call(msp.key, 'test_callback_match', { input })
    expect((await test()).data.matches).toMatchObject([
      { agent_id: 1, result: 'MATCHED', reason_code: null, comparisons: [held], refusal: null },
      { agent_id: 2, result: 'MATCHED' },
    ])
    await useModel(null)
    expect((await test()).data.matches).toMatchObject([
      refused,
      { agent_id: 2, result: 'MATCHED', refusal: null },
    ])
  })
})
