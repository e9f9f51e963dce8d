import { expect, it } from 'vitest'
import { addAgents, addExecutions, share } from '../../setup/agents.ts'
import { type Api, describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addTilRequests, makeTechnician } from '../../setup/til-requests.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

const AT = new Date('2026-10-01T08:00:00.000Z')
const later = (minutes: number): Date => new Date(AT.getTime() + minutes * 60_000)

const ARGUMENTS = { user: 'jane@example.test', notify: true }
const HASH = 'f'.repeat(64)

const read = (api: Api, caller: Caller, til_request_id: string) =>
  api.call(caller, 'til_request', { til_request_id })

const WHOLE = {
  id: 'til_1',
  kind: 'WRITE',
  status: 'APPROVED',
  execution_id: 'exe_1',
  initiating_temporal_run_id: 'run_1_1',
  resumed_temporal_run_id: 'run_1_2',
  agent_id: 1,
  agent_name: 'Passwords',
  tool_name: 'identity.reset_password',
  tool_title: 'Reset a password',
  system: 'MICROSOFT_ENTRA_ID',
  title: 'Reset the password of Jane',
  summary: 'Jane cannot sign in.',
  arguments: ARGUMENTS,
  arguments_hash: HASH,
  secret_arguments: [],
  hidden_characters: [],
  edited_arguments: { ...ARGUMENTS, notify: false },
  edited_arguments_hash: 'e'.repeat(64),
  plan: null,
  question: null,
  options: null,
  allowed_decisions: ['APPROVE', 'REJECT', 'EDIT'],
  required_approvals: 1,
  approvals: [
    {
      technician_id: 7,
      name: 'Technician 7',
      decision: 'EDIT',
      comment: 'She knows.',
      at: later(30).toISOString(),
      via: 'CHAT_APP',
    },
  ],
  permission_group: null,
  technician_ids: [7, 8],
  requested_by: { type: 'AGENT', id: '1', name: 'Passwords' },
  entity_id: '4711',
  entity_number: 'T-4711',
  psa_company_name: 'Bramley & Sons',
  risk: 'CHANGE',
  decided_at: later(30).toISOString(),
  decided_by_name: 'Technician 7',
  decision_comment: 'She knows.',
  reason_code: null,
  answer: null,
  answer_option_id: null,
  call_error: null,
  expires_at: later(4320).toISOString(),
  created_at: AT.toISOString(),
  updated_at: later(30).toISOString(),
  closed_at: later(30).toISOString(),
  revision: 2,
}

async function withRequest(): Promise<Msp> {
  const msp = await world()
  await makeTechnician(msp, msp.user.id, 7)
  await makeTechnician(msp, msp.viewer.id, 8)
  await addAgents(msp, [{ id: 1, name: 'Passwords' }])
  await addExecutions(msp, [{ execution_id: 'exe_1', agent_id: 1 }])
  const { approvals, technician_ids, requested_by, agent_name: _, ...stored } = WHOLE
  const { secret_arguments: __, hidden_characters: ___, ...columns } = stored
  await addTilRequests(msp, [
    {
      ...(columns as object),
      id: WHOLE.id,
      plan: undefined,
      options: undefined,
      requested_by_type: 'AGENT',
      requested_by_id: requested_by.id,
      requested_by_name: requested_by.name,
      technicians: technician_ids,
    } as never,
  ])
  const { tenant_id, environment } = msp
  await msp.database.prisma.tilApproval.createMany({
    data: approvals.map((approval) => ({
      ...(approval as object),
      tenant_id,
      environment,
      til_request_id: WHOLE.id,
    })) as never,
  })
  return msp
}

describeApi('a request to technicians', (api) => {
  it('answers every field, alone, in the list and in that of its execution', async () => {
    const msp = await withRequest()
    const one = await read(api, msp.key, 'til_1')
    expect([one.status, one.data]).toEqual([200, WHOLE])
    expect(Object.keys(one.data)).toEqual(Object.keys(WHOLE))
    expect(one.etag).toMatch(/^"2\./)
    expect((await api.call(msp.key, 'til_requests')).data).toEqual([WHOLE])
    const listed = await api.call(msp.key, 'execution_til_requests', { execution_id: 'exe_1' })
    expect(listed.data).toEqual([WHOLE])
  })

  it('shows a plan, and a question with its options', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const plan = [{ step: 1, text: 'Look the user up.', access: 'READ' }]
    const options = [{ id: 'a', label: 'Jane in Sales' }]
    await addTilRequests(msp, [
      { id: 'til_p', agent_id: 1, kind: 'PLAN', plan, allowed_decisions: ['APPROVE', 'REJECT'] },
      {
        id: 'til_q',
        agent_id: 1,
        kind: 'QUESTION',
        question: 'Which Jane?',
        options,
        status: 'ANSWERED',
        closed_at: AT,
        answer: 'Jane in Sales',
        answer_option_id: 'a',
        allowed_decisions: ['ANSWER'],
      },
    ])
    expect((await read(api, msp.key, 'til_p')).data).toMatchObject({ plan, question: null, options: null })
    const { data } = await read(api, msp.key, 'til_q')
    expect(data).toMatchObject({ question: 'Which Jane?', options, plan: null, answer_option_id: 'a' })
    expect(data.allowed_decisions).toEqual(['ANSWER'])
  })

  it('keeps its tag while nothing changes, and gets another one with its status or its agent’s name', async () => {
    const msp = await withRequest()
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id }
    const tag = async () => (await read(api, msp.key, 'til_1')).etag
    const first = await tag()
    expect(await tag()).toBe(first)
    await prisma.agent.updateMany({ where, data: { name: 'Sign-in' } })
    const renamed = await tag()
    expect(renamed).not.toBe(first)
    await prisma.tilRequest.updateMany({ where, data: { status: 'EXPIRED', updated_at: clock.now() } })
    expect(await tag()).not.toBe(renamed)
  })

  it('is not there for whoever neither sees its agent nor is named on it', async () => {
    const msp = await withRequest()
    const refused = async () => (await read(api, msp.user, 'til_1')).error
    expect((await read(api, msp.user, 'til_1')).status).toBe(200)
    await msp.database.prisma.tilRequestTechnician.deleteMany({ where: { tenant_id: msp.tenant_id } })
    const missing = (await read(api, msp.user, 'til_none')).error
    expect({ ...(await refused()), details: null }).toEqual({ ...missing, details: null })
    await share(msp, 1, msp.user.id)
    expect((await read(api, msp.user, 'til_1')).status).toBe(200)
  })

  it.each(['\u0000', '\ud800', 'x'.repeat(201), ' '])('%j is none', async (id) => {
    const { status, error } = await read(api, (await world()).key, id)
    expect([status, error?.code]).toEqual([404, 'til_request_not_found'])
  })

  it('that a restricted user raised over the API is seen by them, and by no other', async () => {
    const msp = await world()
    const api_request = { kind: 'API_REQUEST', requested_by_type: 'USER' } as const
    await addTilRequests(msp, [{ id: 'til_a', ...api_request, requested_by_id: msp.user.id }])
    expect((await read(api, msp.user, 'til_a')).status).toBe(200)
    expect((await read(api, msp.viewer, 'til_a')).status).toBe(404)
    expect((await read(api, msp.admin, 'til_a')).status).toBe(200)
  })
})
