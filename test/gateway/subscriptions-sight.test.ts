/** Subscribers get the updates of what they could read at that moment, and of nothing else. */
import { expect, test } from 'vitest'
import { addAgents, addExecutions, share } from '../setup/agents.ts'
import { apis } from '../setup/api.ts'
import { subscribe } from '../setup/streams.ts'
import { addTilRequests, makeTechnician } from '../setup/til-requests.ts'
import { until } from '../setup/until.ts'
import { type Caller, type Msp, world } from '../setup/world.ts'

const [api] = apis

/** Agent 1 is the USER's, 2 is shared with the VIEWER, 3 is nobody's; the VIEWER is named on a request of 1. */
async function people(): Promise<{ msp: Msp; callers: Record<string, Caller> }> {
  const msp = await world()
  await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }, { id: 3 }])
  await share(msp, 2, msp.viewer.id)
  await makeTechnician(msp, msp.viewer.id, 7)
  const executions = [1, 2, 3].map((agent_id) => ({ execution_id: `e${agent_id}`, agent_id }))
  await addExecutions(msp, executions)
  const asked_by_user = { agent_id: null, kind: 'API_REQUEST' as const, requested_by_type: 'USER' as const }
  await addTilRequests(msp, [
    { id: 'r1', agent_id: 1, execution_id: 'e1', technicians: [7] },
    { id: 'r2', agent_id: 2, execution_id: 'e2' },
    { id: 'r3', agent_id: 3, execution_id: 'e3' },
    { id: 'own', ...asked_by_user, requested_by_id: msp.user.id },
  ])
  const callers = {
    key: msp.key,
    owner: msp.owner,
    admin: msp.admin,
    user: msp.user,
    viewer: msp.viewer,
    'a key for the user': await msp.newKey({ acting_user_id: msp.user.id }),
  }
  return { msp, callers }
}

const KINDS = [
  {
    field: 'execution_updates',
    query: 'subscription { execution_updates { entity: execution { id: execution_id } } }',
    read: 'execution',
    argument: 'execution_id',
    ids: ['e1', 'e2', 'e3'],
    change: ({ database: { prisma }, tenant_id }: Msp) =>
      prisma.execution.updateMany({ where: { tenant_id }, data: { run_count: { increment: 1 } } }),
  },
  {
    field: 'til_request_updates',
    query: 'subscription { til_request_updates { entity: til_request { id } } }',
    read: 'til_request',
    argument: 'til_request_id',
    ids: ['own', 'r1', 'r2', 'r3'],
    change: ({ database: { prisma }, tenant_id }: Msp) =>
      prisma.tilRequest.updateMany({ where: { tenant_id }, data: { revision: { increment: 1 } } }),
  },
]

test.each(KINDS)(
  '$field tells every caller of what they may read',
  async ({ query, read, argument, ids, change }) => {
    const { msp, callers } = await people()
    for (const [name, caller] of Object.entries(callers)) {
      const readable: string[] = []
      for (const id of ids) {
        const answer = await api?.call(caller, read, { [argument]: id })
        if (answer?.status === 200) readable.push(id)
      }
      const stream = await subscribe(caller, query)
      await change(msp)
      await until(() => stream.updates().length >= readable.length)
      // Another change comes after everything of the first.
      await change(msp)
      await until(() => stream.updates().length >= 2 * readable.length)
      const told = new Set(stream.updates().map(({ entity }) => entity.id))
      expect([name, stream.code(), [...told].sort()]).toEqual([name, undefined, readable])
      stream.close()
    }
  },
)

test('til_request_updates of a technician tells of the requests that name them', async () => {
  const { msp } = await people()
  const query = 'subscription { til_request_updates(technician_id: 7) { til_request { id technician_ids } } }'
  const stream = await subscribe(msp.key, query)
  await KINDS[1]?.change(msp)
  await addTilRequests(msp, [{ id: 'r4', agent_id: 3 }])
  await KINDS[1]?.change(msp)
  await stream.reaches(2)
  expect(stream.updates()).toEqual([
    { til_request: { id: 'r1', technician_ids: [7] } },
    { til_request: { id: 'r1', technician_ids: [7] } },
  ])
})
