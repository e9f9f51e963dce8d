/** An agent is judged again when it is activated, and when an earlier configuration comes back. */
import { expect, it } from 'vitest'
import { Prisma } from '../../../src/db/generated/client/client.ts'
import { connect, VALID } from '../../setup/agent-bodies.ts'
import { addAgents } from '../../setup/agents.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { technicians } from '../tenant/technicians.ts'

const codesIn = (answer: { error: { details: { field_errors?: { code: string }[] } } | null }) =>
  answer.error?.details.field_errors?.map(({ code }) => code)

describeApi('an agent', (api) => {
  const activate = (caller: Caller, agent_id: number) => api.call(caller, 'activate_agent', { agent_id })

  it.each([
    ['schedule_required', { trigger_type: 'SCHEDULED' as const }],
    ['combination_not_allowed', { entity_type: 'NONE' as const }],
    ['tool_unknown', { toolbox: { tools: ['gone.tool'] } }],
    [
      'supervisor_unknown',
      { agent_settings: { supervised: true, supervisor_technician_ids: [2_000_000_000] } },
    ],
    ['agent_settings_required', { agent_settings: Prisma.DbNull }],
  ])('that breaks a rule is not activated: %s', async (code, broken) => {
    const msp = await world()
    await addAgents(msp, [
      { id: 1, state: 'DRAFT', ...broken },
      { id: 2, state: 'PAUSED', ...broken },
      { id: 3, state: 'ACTIVE', ...broken },
    ])
    for (const id of [1, 2]) {
      const answer = await activate(msp.owner, id)
      expect([outcome(answer), codesIn(answer)]).toEqual([[400, 'validation_error'], [code]])
    }
    expect((await activate(msp.owner, 3)).status).toBe(200)
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('that was drafted without what it needs is activated once it has it', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, state: 'DRAFT', trigger_type: 'SCHEDULED' }])
    expect((await activate(msp.owner, 1)).status).toBe(400)
    const { warnings } = await api.call(msp.owner, 'update_agent', {
      agent_id: 1,
      input: { schedule: VALID.AGENTIC.schedule, integrations: VALID.AGENTIC.integrations },
    })
    expect(warnings).toEqual(['integration_not_connected: HALO_PSA'])
    expect(await activate(msp.owner, 1)).toMatchObject({ status: 200, warnings })
    await connect(msp, 'halo-psa')
    await api.call(msp.owner, 'pause_agent', { agent_id: 1 })
    expect(await activate(msp.owner, 1)).toMatchObject({ status: 200, warnings: [] })
  })

  it('gets no configuration back that breaks a rule by now', async () => {
    const msp: Msp = await world()
    const [technician] = await technicians(msp, 1)
    const agent_settings = { supervised: true, supervisor_technician_ids: [technician] }
    const input = { ...VALID.CONVERSATIONAL, agent_settings }
    const { data } = await api.call(msp.owner, 'create_agent', { input })
    const agent = { agent_id: data.id }
    await api.call(msp.owner, 'update_agent', { ...agent, input: { agent_settings: {} } })
    await msp.database.prisma.technicianProfile.deleteMany({ where: { tenant_id: msp.tenant_id } })
    const restored = await api.call(msp.owner, 'restore_agent_revision', { ...agent, revision: 1 })
    expect([outcome(restored), codesIn(restored)]).toEqual([
      [400, 'validation_error'],
      ['supervisor_unknown'],
    ])
    expect((await api.call(msp.owner, 'agent', agent)).data).toMatchObject({ revision: 2, supervised: false })
  })
})
