/** Plans that an agent puts into words, and requests of executions that another engine began. */
import { beforeAll, expect, it } from 'vitest'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { installQueues } from '../agents/runnable.ts'
import { executionOf, NOTE, start } from '../executions/run/chain.ts'
import { asked, deskWorld } from './people.ts'
import { decisions, openRequest, requestsOf, SUPERVISED, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

const PLAN = { type: 'run.propose_plan', params: { steps: ['Tell her.', 'Close it.'] } }

describeApi('a plan that the agent proposes', (api) => {
  const { approve } = decisions(api)

  it('is the plan of a supervised run: no other one is asked for', async () => {
    const msp = await supervisedMsp([PLAN, NOTE])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    const plan = await openRequest(api, msp, execution_id)
    expect(plan).toMatchObject({
      kind: 'PLAN',
      plan: [
        { step: 1, text: 'Tell her.', access: 'WRITE' },
        { step: 2, text: 'Close it.', access: 'WRITE' },
      ],
    })
    await approve(msp.user, plan.id)
    await performRuns(msp)
    expect(await openRequest(api, msp, execution_id)).toMatchObject({ kind: 'WRITE' })
  })

  it('of a run that nobody supervises is recorded, and waits for nobody', async () => {
    const msp = await supervisedMsp([PLAN, NOTE])
    const execution_id = await start(api, msp)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
    })
    expect(await requestsOf(api, msp, execution_id)).toMatchObject([{ kind: 'PLAN', status: 'SHADOWED' }])
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
  })
})

describeApi('a request of an execution that another engine began', (api) => {
  it('is decided, and its execution waits on', async () => {
    const msp = await deskWorld()
    await addAgents(msp, [{ id: 2 }])
    await addExecutions(msp, [{ execution_id: 'exe_old', agent_id: 2, status: 'WAITING_FOR_APPROVAL' }])
    await asked(msp, { execution_id: 'exe_old', agent_id: 2 })
    const { status, data } = await decisions(api).approve(msp.user, 'til_1')
    expect([status, data.status, data.resumed_temporal_run_id]).toEqual([200, 'APPROVED', null])
    expect(await executionOf(api, msp, 'exe_old')).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
  })
})
