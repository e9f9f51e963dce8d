import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addPolicies, escalate, escalationsOf } from '../../setup/escalations.ts'
import { addTilRequests } from '../../setup/til-requests.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { addFailing, failAll } from './failing.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

async function tenant(policies: Parameters<typeof addPolicies>[1] = [{ id: 1 }]): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }, { id: 2 }])
  await addPolicies(msp, policies)
  return msp
}

describe('an execution that fails', () => {
  it.each(['FAILED', 'TIMED_OUT'] as const)('opens an escalation if it is %s', async (status) => {
    const msp = await tenant()
    await addFailing(msp, [{ execution_id: 'exe_1', entity_id: '4711', entity_number: 'T-4711' }])
    await msp.database.prisma.execution.updateMany({ where: { tenant_id: msp.tenant_id }, data: { status } })
    await escalate(msp)
    expect(await escalationsOf(msp)).toMatchObject([
      { trigger: 'EXECUTION_FAILED', execution_id: 'exe_1', entity_number: 'T-4711', agent_id: 1 },
    ])
  })

  it('opens none if it is cancelled, or of an agent without a policy', async () => {
    const msp = await tenant([{ id: 1, agent_ids: [2] }])
    await addFailing(msp, [
      { execution_id: 'exe_1', entity_id: '1' },
      { execution_id: 'exe_2', agent_id: 2, entity_id: '2', status: 'NEW' },
    ])
    await failAll(msp)
    await msp.database.prisma.execution.updateMany({
      where: { tenant_id: msp.tenant_id, execution_id: 'exe_2' },
      data: { status: 'CANCELLED' },
    })
    await escalate(msp)
    expect(await escalationsOf(msp)).toEqual([])
  })

  it('opens none by a policy that is made later', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addFailing(msp, [{ execution_id: 'exe_1', entity_id: '1' }])
    await failAll(msp)
    await escalate(msp)
    await addPolicies(msp, [{ id: 1 }])
    await escalate(msp)
    expect(await escalationsOf(msp)).toEqual([])
  })

  it('opens one for its ticket at a time, over all policies, and another one after it is resolved', async () => {
    const msp = await tenant([{ id: 1, agent_ids: [1] }, { id: 2 }])
    const where = { tenant_id: msp.tenant_id }
    const fail = async (execution_id: string, agent_id: number) => {
      await addFailing(msp, [{ execution_id, agent_id, entity_id: '4711' }])
      await failAll(msp)
      await escalate(msp)
      return await escalationsOf(msp)
    }
    expect(await fail('exe_1', 1)).toMatchObject([{ policy_id: 1 }])
    expect(await fail('exe_2', 2)).toHaveLength(1)
    await msp.database.prisma.escalationEvent.updateMany({ where, data: { status: 'ACKNOWLEDGED' } })
    expect(await fail('exe_3', 2)).toHaveLength(1)
    await msp.database.prisma.escalationEvent.updateMany({ where, data: { status: 'RESOLVED' } })
    expect(await fail('exe_4', 2)).toMatchObject([{ policy_id: 1 }, { policy_id: 2, execution_id: 'exe_4' }])
  })

  it('opens one for each execution without a ticket', async () => {
    const msp = await tenant()
    const none = { entity_type: 'NONE' as const, entity_id: null }
    await addFailing(msp, [
      { execution_id: 'exe_1', ...none },
      { execution_id: 'exe_2', ...none },
    ])
    await failAll(msp)
    await escalate(msp)
    expect(await escalationsOf(msp)).toHaveLength(2)
  })
})

describe('a request to technicians that expires', () => {
  it('opens an escalation for its execution', async () => {
    const msp = await tenant([{ id: 1, triggers: ['TIL_REQUEST_EXPIRED'] }])
    await addFailing(msp, [{ execution_id: 'exe_1', entity_id: '4711' }])
    await addTilRequests(msp, [{ id: 'til_1', agent_id: 1, execution_id: 'exe_1' }])
    await msp.database.prisma.tilRequest.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { status: 'EXPIRED', closed_at: clock.now() },
    })
    await escalate(msp)
    expect(await escalationsOf(msp)).toMatchObject([
      { trigger: 'TIL_REQUEST_EXPIRED', execution_id: 'exe_1' },
    ])
  })
})

describeApi('the opening of an escalation', (api) => {
  it('is in the activity log, by the service', async () => {
    const msp = await tenant()
    await addFailing(msp, [{ execution_id: 'exe_1', entity_id: '4711', entity_number: 'T-4711' }])
    await failAll(msp)
    await escalate(msp)
    const [escalation] = await escalationsOf(msp)
    const { data } = await api.call(msp.admin, 'activity_log', { action: 'escalation_event.opened' })
    expect(data).toMatchObject([
      {
        targets: [{ type: 'escalation_event', id: escalation?.id, name: 'T-4711' }],
        actor: { type: 'SYSTEM' },
      },
    ])
  })
})
