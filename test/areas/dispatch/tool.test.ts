/** The tool by which agents hand tickets over to dispatch. */
import { beforeAll, expect, it } from 'vitest'
import { type Api, describeApi } from '../../setup/api.ts'
import { decisionsOf, setDispatch } from '../../setup/dispatch.ts'
import { playModel } from '../../setup/model.ts'
import { addPsaTechnicians, psaOfTenant } from '../../setup/psa.ts'
import { raised } from '../../setup/raised.ts'
import { performRuns } from '../../setup/runs.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { changeTicket } from '../callbacks/events.ts'
import { agenticMsp, answersIn, trailOf, turns } from '../executions/run/agentic.ts'
import { start } from '../executions/run/chain.ts'

beforeAll(installQueues)

const TICKET = '4711'

/** An agent on ticket 4711, and two technicians. */
async function withAgent(settings: object = {}, agent: object = {}): Promise<Msp> {
  const msp = await agenticMsp({ assignee_psa_id: null }, agent)
  await addTechnicians(msp, [
    { id: 31, psa_id: 131, name: 'Priya', is_ready: true },
    { id: 32, psa_id: 132, name: 'Lee', is_ready: true },
  ])
  await addPsaTechnicians(msp, [{ psa_id: 131 }, { psa_id: 132 }])
  await setDispatch(msp, { enabled: true, respect_schedules: false, ...settings })
  return msp
}

/** Runs the agent, which hands the ticket over `times` times. */
async function handOver(api: Api, msp: Msp, times = 1, args: object = { ticket_id: TICKET }) {
  const calls = Array.from({ length: times }, () => ({ calls: [{ tool: 'dispatch.assign', args }] }))
  const model = await playModel(turns(...calls))
  const execution_id = await start(api, msp, TICKET)
  await performRuns(msp)
  const trail = await trailOf(api, msp, execution_id)
  const answers = calls.map((_call, index) => answersIn(model.asked[index + 1])[0])
  return { execution_id, answers, ...trail }
}

describeApi('an agent hands a ticket over', (api) => {
  it('and a person applies the suggestion', async () => {
    const msp = await withAgent()
    const { execution_id, answers } = await handOver(api, msp)
    const [decision, ...others] = await decisionsOf(msp)
    expect(others).toEqual([])
    expect(decision).toMatchObject({
      status: 'SUGGESTED',
      agent_id: 1,
      execution_id,
      chosen_technician_id: 31,
    })
    expect(answers).toMatchObject([
      {
        outcome: 'SUCCEEDED',
        data: {
          decision_id: decision?.id,
          status: 'SUGGESTED',
          technician_id: 31,
          explanation: decision?.explanation,
        },
      },
    ])
    const applied = await api.call(msp.admin, 'apply_dispatch_decision', { decision_id: decision?.id })
    expect(applied.data).toMatchObject({ status: 'APPLIED', agent_id: 1, execution_id })
    expect((await psaOfTenant(msp).ticket(TICKET))?.assignee_psa_id).toBe(131)
  })

  it('and is answered the open suggestion if it hands it over again', async () => {
    const msp = await withAgent()
    const { answers } = await handOver(api, msp, 2)
    expect(answers).toMatchObject([{ outcome: 'SUCCEEDED' }, { outcome: 'SUCCEEDED' }])
    expect(answers[1]?.data).toEqual(answers[0]?.data)
    expect(await decisionsOf(msp)).toHaveLength(1)
  })

  it('and the technician has it at once in mode AUTO', async () => {
    const msp = await withAgent({ mode: 'AUTO' })
    const { answers } = await handOver(api, msp)
    expect(answers).toMatchObject([{ outcome: 'SUCCEEDED', data: { status: 'APPLIED', technician_id: 31 } }])
    expect((await psaOfTenant(msp).ticket(TICKET))?.assignee_psa_id).toBe(131)
    expect(await raised(msp, 'dispatch.suggested')).toEqual([])
    expect(await raised(msp, 'dispatch.applied')).toHaveLength(1)
  })

  it('and nobody fits', async () => {
    const msp = await withAgent({ max_open_tickets_per_technician: 1, respect_schedules: true })
    await msp.database.prisma.technicianProfile.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { is_ready: false },
    })
    const { answers } = await handOver(api, msp)
    expect(answers).toMatchObject([
      { outcome: 'SUCCEEDED', data: { status: 'NONE_FITS', technician_id: null } },
    ])
  })

  it.each([
    ['while dispatch is off', 'dispatch_disabled', { enabled: false }, {}],
    ['that a technician has', 'ticket_assigned', {}, { assignee_psa_id: 132 }],
    [
      'that is closed',
      'ticket_closed',
      {},
      { closed_at: new Date('2026-11-01T00:00:00Z'), status: 'Closed' },
    ],
  ])('and is refused a ticket %s', async (_name, code, settings, change) => {
    const msp = await withAgent(settings)
    await changeTicket(msp, change, TICKET)
    const { answers } = await handOver(api, msp)
    expect(JSON.stringify(answers[0])).toContain(code)
    expect(await decisionsOf(msp)).toEqual([])
  })

  it('as the action of an agent that takes the same actions every time', async () => {
    const actions = [
      { type: 'dispatch.assign', params: {} },
      { type: 'feedback.send_link', params: { medium: 'TICKET_NOTE' } },
    ]
    const msp = await withAgent({ mode: 'AUTO' }, { autonomy_type: 'CHAINED_ACTIONS', actions })
    const execution_id = await start(api, msp, TICKET)
    await performRuns(msp)
    const { execution } = await trailOf(api, msp, execution_id)
    expect(execution.status).toBe('COMPLETED')
    expect(await decisionsOf(msp)).toMatchObject([{ status: 'APPLIED', execution_id, ticket_id: TICKET }])
  })
})
