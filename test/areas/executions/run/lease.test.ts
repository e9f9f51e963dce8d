import { expect, test } from 'vitest'
import { releaseLease } from '../../../../src/areas/executions/engine/run/lease.ts'
import type { RunContext } from '../../../../src/areas/executions/engine/run/run-lock.ts'
import { addAgents, addExecutions } from '../../../setup/agents.ts'
import { portContext } from '../../../setup/psa.ts'
import { addRuns } from '../../../setup/til-requests.ts'
import { world } from '../../../setup/world.ts'

test('a worker leaves the run that it holds, and none that another worker has taken over', async () => {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  await addExecutions(msp, [{ execution_id: 'e', agent_id: 1, status: 'RUNNING' }])
  await addRuns(msp, [{ execution_id: 'e', sequence: 1, holder: 'another 1' }])
  const leave = (id: string) =>
    releaseLease({ ...portContext(msp), request: { id }, taken: 1 } as unknown as RunContext, 'e')
  const holders = async () => {
    const where = { tenant_id: msp.tenant_id }
    return (await msp.database.prisma.executionRun.findMany({ where })).map(({ holder }) => holder)
  }
  await leave('this')
  expect(await holders()).toEqual(['another 1'])
  await leave('another')
  expect(await holders()).toEqual([null])
})
