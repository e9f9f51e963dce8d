/** Calls that no connected system makes: nobody is asked about them. */
import { beforeAll, expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { playModel } from '../../setup/model.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { makeTechnician } from '../../setup/til-requests.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { agenticMsp, NOTE, trailOf, turns } from '../executions/run/agentic.ts'
import { start } from '../executions/run/chain.ts'
import { ADMIN } from './people.ts'
import { decisions, openRequest, requestsOf } from './supervised.ts'

beforeAll(installQueues)

const RESTART = { tool: 'device.restart', args: { device_id: '1' } }
const MERGE = { tool: 'ticket.merge', args: { ticket_id: '4711', into_ticket_id: '4712' } }
const SUPERVISED = { supervised_run: true, supervisor_technician_ids: [ADMIN] }

/** A tenant without an RMM, whose agent has the tools of devices and tickets, and whose ADMIN is a technician. */
async function setUp(settings: object = {}): Promise<Msp> {
  const grants = [
    { system: 'NINJAONE', permission_groups: ['DEVICES'], access: 'WRITE' },
    { system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' },
  ]
  const msp = await agenticMsp(settings, { integrations: { grants } })
  await makeTechnician(msp, msp.admin.id, ADMIN)
  return msp
}

/** The service with a PSA that cannot merge tickets. */
async function withoutMerges() {
  const { services } = (await testApp()).app
  const unsupportedCalls = async () => ({
    psa: new Set(['mergeTicket']),
    rmm: new Set<string>(),
    documents: new Set<string>(),
  })
  return { services: { ...services, connectors: { ...services.connectors, unsupportedCalls } } }
}

describeApi('a call that no connected system makes', (api) => {
  it('asks no supervisor, and the run goes on', async () => {
    const msp = await setUp()
    await playModel(turns({ calls: [RESTART] }, { calls: [NOTE] }))
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    const { approve } = decisions(api)
    for (const tool of ['the plan', 'the note']) {
      const request = await openRequest(api, msp, execution_id)
      expect([tool, request.kind]).toEqual([tool, tool === 'the plan' ? 'PLAN' : 'WRITE'])
      expect(JSON.stringify(request)).not.toContain('device.restart')
      expect(outcome(await approve(msp.admin, request.id))[0]).toBe(200)
      await performRuns(msp)
    }
    const { execution, calls } = await trailOf(api, msp, execution_id)
    expect(execution).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
    const outcomes = calls.map((call: Record<string, string>) => [
      call.tool_name,
      call.outcome,
      call.error_code,
    ])
    expect(outcomes).toContainEqual(['device.restart', 'FAILED', 'tool_not_available'])
    expect(outcomes).toContainEqual(['ticket.add_note', 'SUCCEEDED', null])
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
  })

  it('asks no approver of its permission group', async () => {
    const msp = await setUp()
    const input = { requires_approval: true, approver_technician_ids: [ADMIN] }
    await api.call(msp.owner, 'update_permission_group', { name: 'DEVICES', input })
    await playModel(turns({ calls: [RESTART] }))
    const execution_id = await start(api, msp)
    await performRuns(msp)
    const { execution, calls } = await trailOf(api, msp, execution_id)
    expect(execution.status).toBe('COMPLETED')
    expect(calls).toMatchObject([{ outcome: 'FAILED', error_code: 'tool_not_available' }])
    expect(await requestsOf(api, msp, execution_id)).toEqual([])
  })

  it('is not recorded as a request in shadow mode', async () => {
    const msp = await setUp({
      supervised: true,
      supervisor_technician_ids: [ADMIN],
      supervision_mode: 'SHADOW',
    })
    await playModel(turns({ calls: [RESTART] }))
    const execution_id = await start(api, msp)
    await performRuns(msp)
    const { calls } = await trailOf(api, msp, execution_id)
    expect(calls).toMatchObject([{ outcome: 'FAILED', error_code: 'tool_not_available' }])
    expect(await requestsOf(api, msp, execution_id)).toEqual([])
  })

  it('asks nobody if the connected system cannot do it', async () => {
    const msp = await setUp()
    const input = { requires_approval: true, approver_technician_ids: [ADMIN] }
    await api.call(msp.owner, 'update_permission_group', { name: 'TICKETS', input })
    await playModel(turns({ calls: [MERGE] }))
    const execution_id = await start(api, msp)
    await performRuns(msp, await withoutMerges())
    const { calls } = await trailOf(api, msp, execution_id)
    expect(calls).toMatchObject([
      { tool_name: 'ticket.merge', outcome: 'FAILED', error_code: 'not_supported' },
    ])
    expect(await requestsOf(api, msp, execution_id)).toEqual([])
    await playModel(turns({ calls: [MERGE] }))
    const other = await start(api, msp, '4712')
    await performRuns(msp)
    expect(await openRequest(api, msp, other)).toMatchObject({ kind: 'WRITE', permission_group: 'TICKETS' })
  })
})
