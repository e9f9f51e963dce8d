/** Nobody approves what they asked for: the users behind a call, by whichever key or name they call and decide. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { UNAVAILABLE_EXECUTORS } from '../../../src/tools/executors/without-system.ts'
import { addAgents } from '../../setup/agents.ts'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { clock, ENVIRONMENT, signToken, testApp } from '../../setup/app.ts'
import { startDueOf } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { makeTechnician } from '../../setup/til-requests.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { decisions, openRequest } from './supervised.ts'

/** No adapter makes the calls of the tools that wait for a second person, so that nobody would be asked about them. */
const unavailable: Record<string, unknown> = UNAVAILABLE_EXECUTORS
const WAITING = { ...unavailable }

beforeAll(() => {
  for (const name of ['technician.delete', 'technician.replace_schedule']) delete unavailable[name]
})
afterAll(() => void Object.assign(unavailable, WAITING))

beforeAll(installQueues)

type Name = 'owner' | 'admin' | 'user'

const TECHNICIANS = { owner: 700_021, admin: 700_022, user: 700_023 } as const
const NAMES = Object.keys(TECHNICIANS) as Name[]

/** A tenant whose OWNER and two ADMINs, of whom one is `user`, are technicians, and TECHNICIANS asks nobody. */
async function threeWorld(api: Api): Promise<Msp> {
  const msp = await world()
  const { prisma } = msp.database
  const where = { tenant_id: msp.tenant_id, id: msp.user.id }
  await prisma.tenantUser.updateMany({ where, data: { role: 'ADMIN' } })
  for (const name of NAMES) await makeTechnician(msp, msp[name].id, TECHNICIANS[name])
  await api.call(msp.owner, 'update_permission_group', {
    name: 'TECHNICIANS',
    input: { requires_approval: false },
  })
  return msp
}

interface Asking {
  caller: Caller
  headers?: Record<string, string>
}

type Key = Parameters<Msp['newKey']>[0]

const key = async (msp: Msp, maker: Name, options: Key = {}): Promise<Asking> => ({
  caller: await msp.newKey({ ...options, created_by_user_id: msp[maker].id }),
})

interface Way {
  by: string
  /** The users who are behind the call. */
  behind: Name[]
  ask(api: Api, msp: Msp): Promise<Asking>
}

const WAYS: Way[] = [
  { by: 'a token', behind: ['admin'], ask: async (_api, { admin }) => ({ caller: admin }) },
  {
    by: 'a key with no acting user',
    behind: ['admin'],
    ask: (_api, msp) => key(msp, 'admin'),
  },
  {
    by: 'a key of the ADMIN’s own',
    behind: ['admin'],
    ask: (_api, msp) => key(msp, 'admin', { acting_user_id: msp.admin.id }),
  },
  {
    by: 'a key that the ADMIN made, which acts for the OWNER',
    behind: ['admin', 'owner'],
    ask: (_api, msp) => key(msp, 'admin', { acting_user_id: msp.owner.id }),
  },
  {
    by: 'a key that the OWNER made, which acts for the ADMIN',
    behind: ['admin', 'owner'],
    ask: (_api, msp) => key(msp, 'owner', { acting_user_id: msp.admin.id }),
  },
  {
    by: 'a key that the ADMIN made, with a header that names the OWNER',
    behind: ['admin', 'owner'],
    ask: async (_api, msp) => ({
      ...(await key(msp, 'admin', { allow_acting_user_header: true })),
      headers: { 'x-acting-user': msp.owner.id },
    }),
  },
  {
    by: 'a key that the OWNER made and the ADMIN rotated',
    behind: ['admin'],
    async ask(api, msp) {
      const { caller } = await key(msp, 'owner')
      const { data } = await api.call(msp.admin, 'rotate_api_key', { key_id: caller.id })
      return { caller: { id: data.id, token: data.key } }
    },
  },
]

/** The same credential on the API-request channel. */
async function onChannel(msp: Msp, { caller, headers }: Asking): Promise<Asking> {
  const { tenant_id, database } = msp
  const where = { tenant_id, id: caller.id }
  const { count } = await database.prisma.apiKey.updateMany({ where, data: { channel: 'API_REQUEST' } })
  if (count > 0) return { caller, ...(headers && { headers }) }
  const claims = { sub: `sub_${caller.id}`, tenant_id, environment: ENVIRONMENT, channel: 'api_request' }
  return { caller: { id: caller.id, token: await signToken(claims) } }
}

/** Everybody behind the request is refused by their token and by a key of their own, and everybody else approves. */
async function expectDeciders(
  api: Api,
  msp: Msp,
  til_request_id: string,
  behind: readonly Name[],
): Promise<void> {
  const { approve } = decisions(api)
  for (const name of behind) {
    const own = await key(msp, name, { acting_user_id: msp[name].id })
    for (const decider of [msp[name], own.caller])
      expect([name, ...outcome(await approve(decider, til_request_id))]).toEqual([
        name,
        403,
        'self_approval_forbidden',
      ])
  }
  const other = NAMES.find((name) => !behind.includes(name)) as Name
  expect((await approve(msp[other], til_request_id)).data).toMatchObject({ status: 'APPROVED' })
}

describeApi('an approval', (api) => {
  const { approve, reject } = decisions(api)

  const removal = async (msp: Msp, { caller, headers }: Asking) => {
    const [profile_id = 0] = await addTechnicians(msp, [{}])
    const { status, error } = await api.call(caller, 'delete_technician', { profile_id }, headers)
    expect([status, error?.code]).toEqual([409, 'approval_required'])
    return { profile_id, til_request_id: error?.details.til_request_id as string }
  }

  describe.each(['the channel', 'a direct call, if every deletion waits'] as const)('of %s', (path) => {
    it.each(WAYS.map((way) => [way.by, way] as const))(
      'by %s is for none who are behind it',
      async (_by, way) => {
        const msp = await threeWorld(api)
        const { services } = (await testApp()).app
        const asking = await way.ask(api, msp)
        const isDirect = path !== 'the channel'
        services.technician_delete_approval = isDirect ? 'always' : 'channel'
        onTestFinished(() => {
          services.technician_delete_approval = 'channel'
        })
        const { profile_id, til_request_id } = await removal(
          msp,
          isDirect ? asking : await onChannel(msp, asking),
        )
        await expectDeciders(api, msp, til_request_id, way.behind)
        const { data } = await api.call(msp.viewer, 'technician', { profile_id })
        expect(data.deleted_at).not.toBeNull()
      },
    )
  })

  it('of a call by the operator’s key of the channel is for the OWNER too, who has no secret of it', async () => {
    const msp = await threeWorld(api)
    const { caller } = await onChannel(msp, await key(msp, 'owner'))
    const where = { tenant_id: msp.tenant_id, id: caller.id }
    await msp.database.prisma.apiKey.updateMany({ where, data: { of_service: true } })
    const { til_request_id } = await removal(msp, { caller })
    expect((await approve(msp.owner, til_request_id)).data).toMatchObject({ status: 'APPROVED' })
  })

  it('is refused to who asked, and a rejection is not', async () => {
    const msp = await threeWorld(api)
    const { til_request_id } = await removal(msp, await onChannel(msp, { caller: msp.admin }))
    expect(outcome(await approve(msp.admin, til_request_id))).toEqual([403, 'self_approval_forbidden'])
    expect((await reject(msp.admin, til_request_id)).data.status).toBe('REJECTED')
  })
})

const DELETION = { type: 'technician.delete', params: { technician_id: TECHNICIANS.user } }
const REPLACEMENT = { type: 'technician.replace_schedule', params: { schedule_id: 1, windows: [] } }

const agentBody = (actions: readonly object[]) => ({
  name: 'Leavers',
  autonomy_type: 'CHAINED_ACTIONS',
  trigger_type: 'TRIGGERED',
  entity_type: 'TICKET',
  agent_settings: {},
  callback_settings: { change_types: ['TICKET_CREATED'] },
  integrations: { grants: [] },
  actions,
  activate: true,
})

describeApi('a run that would do what waits for a second person', (api) => {
  const { approve } = decisions(api)

  async function deskWorld() {
    const msp = await threeWorld(api)
    await addPsaTickets(msp, [{ ticket_id: '4711' }])
    return msp
  }

  const create = async (caller: Caller, actions: readonly object[]): Promise<number> => {
    const { status, data } = await api.call(caller, 'create_agent', { input: agentBody(actions) })
    expect([status, data.state]).toEqual([200, 'ACTIVE'])
    return data.id
  }

  const run = async (msp: Msp, caller: Caller, agent_id: number): Promise<string> => {
    const { data } = await api.call(caller, 'run_agent_now', { agent_id, input: { entity_id: '4711' } })
    await performRuns(msp)
    return data.execution_id
  }

  const statusOf = async (msp: Msp, execution_id: string): Promise<string> =>
    (await api.call(msp.key, 'execution', { execution_id })).data.status

  it('asks for technician.delete, whatever the group says, and none of those behind the agent and the run', async () => {
    const msp = await deskWorld()
    const { caller } = await onChannel(msp, await key(msp, 'admin'))
    const agent_id = await create(caller, [DELETION])
    const execution_id = await run(msp, (await key(msp, 'owner')).caller, agent_id)
    expect(await statusOf(msp, execution_id)).toBe('WAITING_FOR_APPROVAL')
    const { id, permission_group } = await openRequest(api, msp, execution_id)
    expect(permission_group).toBe('TECHNICIANS')
    await expectDeciders(api, msp, id, ['admin', 'owner'])
  })

  it('asks none of those who changed the agent, or wrote the entry of scheduled work', async () => {
    const msp = await deskWorld()
    await addAgents(msp, [
      { id: 1, autonomy_type: 'CHAINED_ACTIONS', trigger_type: 'TRIGGERED', actions: [DELETION] as never },
    ])
    const changed = await api.call((await key(msp, 'owner')).caller, 'update_agent', {
      agent_id: 1,
      input: { description: 'Takes leavers out.' },
    })
    expect(changed.status).toBe(200)
    const scheduled_for = new Date(clock.now().getTime() + 120_000).toISOString()
    const input = { workflow_id: 1, ticket_id: '4711', scheduled_for }
    const { data } = await api.call(msp.admin, 'create_scheduled_work', { input })
    clock.advance(180_000)
    onTestFinished(() => clock.advance(-180_000))
    await startDueOf(msp)
    await performRuns(msp)
    const entry = await api.call(msp.key, 'scheduled_work_entry', { entry_id: data.id })
    const { id } = await openRequest(api, msp, entry.data.execution_id)
    await expectDeciders(api, msp, id, ['admin', 'owner'])
  })

  it('asks none of those behind the execution that it retries', async () => {
    const msp = await deskWorld()
    await addAgents(msp, [
      { id: 1, autonomy_type: 'CHAINED_ACTIONS', trigger_type: 'TRIGGERED', actions: [DELETION] as never },
    ])
    const first = await run(msp, msp.admin, 1)
    await api.call(msp.admin, 'cancel_execution', { execution_id: first })
    const { data } = await api.call(msp.owner, 'retry_execution', { execution_id: first })
    await performRuns(msp)
    const { id } = await openRequest(api, msp, data.execution_id)
    await expectDeciders(api, msp, id, ['admin', 'owner'])
  })

  it('asks for technician.replace_schedule, unless the group turns that off', async () => {
    const msp = await deskWorld()
    const { caller } = await onChannel(msp, { caller: msp.admin })
    const agent_id = await create(caller, [REPLACEMENT])
    const off = await run(msp, caller, agent_id)
    expect(await statusOf(msp, off)).not.toBe('WAITING_FOR_APPROVAL')
    const input = { requires_approval: true }
    await api.call(msp.owner, 'update_permission_group', { name: 'TECHNICIANS', input })
    const execution_id = await run(msp, caller, agent_id)
    const { id } = await openRequest(api, msp, execution_id)
    expect(outcome(await approve(msp.admin, id))).toEqual([403, 'self_approval_forbidden'])
    expect((await approve(msp.owner, id)).data.status).toBe('APPROVED')
  })
})
