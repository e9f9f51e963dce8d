/** Changes that a permission group gates, in runs that are supervised too. */
import { beforeAll, expect, it } from 'vitest'
import { share } from '../../setup/agents.ts'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { addPsaTickets, psaOfTenant } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import type { Caller, Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { entriesOf, executionOf, NOTE } from '../executions/run/chain.ts'
import { ADMIN, USER } from './people.ts'
import { decisions, openRequest, requestsOf, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

const OTHER = 700_013

type Agent = Parameters<typeof supervisedMsp>[1]

const notesOf = (msp: Msp) => psaOfTenant(msp).notesOf('4711')

const askedOf = (requests: { kind: string; technician_ids: number[]; status: string }[]) =>
  requests.map(({ kind, technician_ids, status }) => [kind, technician_ids, status])

/** A tenant whose TICKETS wait for these technicians, with a chain that writes a note, which the USER sees. */
async function gatedMsp(api: Api, approvers: number[], agent: Agent = {}): Promise<Msp> {
  const msp = await supervisedMsp([NOTE], agent)
  await addTechnicians(msp, [{ id: OTHER, psa_id: 13 }])
  await share(msp, 1, msp.user.id)
  await api.call(msp.owner, 'update_permission_group', {
    name: 'TICKETS',
    input: { requires_approval: true, approver_technician_ids: approvers },
  })
  return msp
}

describeApi('a change that is gated and supervised', (api) => {
  const { approve, reject } = decisions(api)

  const run = async (msp: Msp, caller: Caller, supervisor_technician_ids?: number[]): Promise<string> => {
    const supervised = supervisor_technician_ids && { supervised_run: true, supervisor_technician_ids }
    const input = { entity_id: '4711', ...supervised }
    const { data } = await api.call(caller, 'run_agent_now', { agent_id: 1, input })
    await performRuns(msp)
    return data.execution_id
  }

  const open = (msp: Msp, execution_id: string) => openRequest(api, msp, execution_id)

  /** Approves what waits, and lets the run go on. */
  const approveNext = async (msp: Msp, caller: Caller, execution_id: string, input = {}) => {
    const answer = await approve(caller, (await open(msp, execution_id)).id, input)
    expect(answer.status).toBe(200)
    await performRuns(msp)
  }

  it('waits for the approvers of the group, and for the supervisor whom a reader of the agent named', async () => {
    const msp = await gatedMsp(api, [ADMIN])
    const execution_id = await run(msp, msp.user, [USER])
    await approveNext(msp, msp.user, execution_id)
    const gated = await open(msp, execution_id)
    expect(gated).toMatchObject({ kind: 'WRITE', technician_ids: [ADMIN], permission_group: 'TICKETS' })
    expect(gated.summary).toMatch(/approvers of the permission group TICKETS decide/)
    expect(outcome(await approve(msp.user, gated.id))).toEqual([403, 'not_an_approver'])
    await approveNext(msp, msp.admin, execution_id)
    expect(await notesOf(msp)).toEqual([])
    expect(await open(msp, execution_id)).toMatchObject({
      technician_ids: [USER],
      permission_group: null,
      // The USER who had it supervised may not change the agent, and so not what it writes.
      allowed_decisions: ['APPROVE', 'REJECT'],
    })
    await approveNext(msp, msp.user, execution_id)
    expect(await notesOf(msp)).toHaveLength(1)
    expect(askedOf(await requestsOf(api, msp, execution_id))).toEqual([
      ['PLAN', [USER], 'APPROVED'],
      ['WRITE', [ADMIN], 'APPROVED'],
      ['WRITE', [USER], 'APPROVED'],
    ])
    expect((await entriesOf(api, msp, execution_id)).at(-1)).toMatchObject({
      outcome: 'SUCCEEDED',
      decided_by_name: `Technician ${ADMIN}, Technician ${USER}`,
    })
  })

  it('of an agent whose owner supervises it waits for the approvers too', async () => {
    const settings = { supervised: true, supervisor_technician_ids: [USER] }
    const msp = await gatedMsp(api, [ADMIN], { ...settings, agent_settings: settings })
    const execution_id = await run(msp, msp.user)
    await approveNext(msp, msp.user, execution_id)
    expect((await open(msp, execution_id)).technician_ids).toEqual([ADMIN])
  })

  it('is approved by the approvers exactly as it runs, also if a supervisor edits it', async () => {
    const msp = await gatedMsp(api, [ADMIN])
    const execution_id = await run(msp, msp.owner, [USER])
    for (const caller of [msp.user, msp.admin]) await approveNext(msp, caller, execution_id)
    const edited_arguments = { ticket_id: '4711', text: 'Edited.', visibility: 'PUBLIC' }
    await approveNext(msp, msp.user, execution_id, { edited_arguments })
    expect(await notesOf(msp)).toEqual([])
    expect(await open(msp, execution_id)).toMatchObject({
      technician_ids: [ADMIN],
      arguments: edited_arguments,
    })
    await approveNext(msp, msp.admin, execution_id)
    expect(await notesOf(msp)).toMatchObject([{ text: 'Edited.', is_internal: false }])
  })

  it('is not edited to leave the company of its ticket', async () => {
    const msp = await gatedMsp(api, [ADMIN])
    await addPsaTickets(msp, [{ ticket_id: '9', psa_company_id: 'co9' }])
    const execution_id = await run(msp, msp.owner)
    const { id } = await open(msp, execution_id)
    for (const ticket_id of ['9', 'none']) {
      const edited_arguments = { ticket_id, text: 'Elsewhere.', visibility: 'PUBLIC' }
      const { status, error } = await approve(msp.admin, id, { edited_arguments })
      expect([status, error?.details.field_errors]).toMatchObject([
        422,
        [{ field: 'edited_arguments.ticket_id', code: 'other_company' }],
      ])
    }
    const edited_arguments = { ticket_id: '4712', text: 'Here.', visibility: 'PUBLIC' }
    await approveNext(msp, msp.admin, execution_id, { edited_arguments })
    expect(await psaOfTenant(msp).notesOf('4712')).toHaveLength(1)
  })

  it('is not made if the supervisors reject it', async () => {
    const msp = await gatedMsp(api, [ADMIN])
    const execution_id = await run(msp, msp.owner, [USER])
    for (const caller of [msp.user, msp.admin]) await approveNext(msp, caller, execution_id)
    await reject(msp.user, (await open(msp, execution_id)).id)
    await performRuns(msp)
    expect(await notesOf(msp)).toEqual([])
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'NONE',
    })
  })

  it('is asked once if every approver supervises', async () => {
    const msp = await gatedMsp(api, [ADMIN])
    const execution_id = await run(msp, msp.owner, [ADMIN, USER])
    for (const caller of [msp.user, msp.admin]) await approveNext(msp, caller, execution_id)
    expect(await notesOf(msp)).toHaveLength(1)
    expect(askedOf(await requestsOf(api, msp, execution_id))).toEqual([
      ['PLAN', [ADMIN, USER], 'APPROVED'],
      ['WRITE', [ADMIN], 'APPROVED'],
    ])
  })

  it('goes to those who approve by default if its approvers are deleted', async () => {
    const msp = await gatedMsp(api, [OTHER])
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id, id: OTHER }
    await prisma.technicianProfile.updateMany({ where, data: { deleted_at: new Date() } })
    const execution_id = await run(msp, msp.user, [USER])
    await approveNext(msp, msp.user, execution_id)
    expect((await open(msp, execution_id)).technician_ids).toEqual([ADMIN])
  })

  it('is recorded for both in shadow mode', async () => {
    const settings = { supervised: true, supervisor_technician_ids: [USER], supervision_mode: 'SHADOW' }
    const { supervision_mode: _, ...columns } = settings
    const msp = await gatedMsp(api, [ADMIN], { ...columns, agent_settings: settings })
    const execution_id = await run(msp, msp.user)
    expect(askedOf(await requestsOf(api, msp, execution_id)).toSorted()).toEqual(
      [
        ['PLAN', [USER], 'SHADOWED'],
        ['WRITE', [USER], 'SHADOWED'],
        ['WRITE', [ADMIN], 'SHADOWED'],
      ].toSorted(),
    )
    expect(await notesOf(msp)).toEqual([])
  })
})

describeApi('a request about what a group gates', (api) => {
  const reassign = (caller: Caller, til_request_id: string, technician_ids: number[]) =>
    api.call(caller, 'reassign_til_request', { til_request_id, input: { technician_ids } })

  it('goes to approvers of the group alone, or to the ADMIN who takes it', async () => {
    const msp = await gatedMsp(api, [USER, OTHER])
    const { data } = await api.call(msp.key, 'run_agent_now', { agent_id: 1, input: { entity_id: '4711' } })
    await performRuns(msp)
    const { id } = await openRequest(api, msp, data.execution_id)
    const refused = await reassign(msp.user, id, [OTHER, ADMIN])
    expect(outcome(refused)).toEqual([422, 'request_validation_failed'])
    expect(refused.error?.details.field_errors).toMatchObject([
      { field: 'technician_ids.1', code: 'not_an_approver' },
    ])
    expect(outcome(await reassign(msp.owner, id, [ADMIN]))).toEqual([422, 'request_validation_failed'])
    expect((await reassign(msp.user, id, [OTHER])).data.technician_ids).toEqual([OTHER])
    expect((await reassign(msp.admin, id, [ADMIN])).data.technician_ids).toEqual([ADMIN])
    expect((await decisions(api).approve(msp.admin, id)).status).toBe(200)
  })
})
