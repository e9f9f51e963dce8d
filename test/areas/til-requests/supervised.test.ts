/** Runs whose changes wait for technicians. */
import { beforeAll, expect, it } from 'vitest'
import { type Api, describeApi } from '../../setup/api.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { executionOf, NOTE, STATUS, start } from '../executions/run/chain.ts'
import { ADMIN, USER } from './people.ts'
import { decisions, openRequest, requestsOf, SUPERVISED, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

const kindsOf = (requests: { kind: string; status: string }[]) =>
  requests.map(({ kind, status }) => [kind, status])

const timelineOf = async (api: Api, msp: Msp, execution_id: string) =>
  (await api.call(msp.key, 'execution_timeline', { execution_id })).data.map(
    ({ kind }: { kind: string }) => kind,
  )

const notesOf = (msp: Msp) => psaOfTenant(msp).notesOf('4711')

describeApi('a supervised run', (api) => {
  const { approve, reject } = decisions(api)

  /** Approves what waits, and lets the run go on to its next pause or its end. */
  const approveNext = async (msp: Msp, execution_id: string, input = {}) => {
    const { data } = await approve(msp.user, (await openRequest(api, msp, execution_id)).id, input)
    await performRuns(msp)
    return data
  }

  it('shows its plan before its first change, and each change waits', async () => {
    const msp = await supervisedMsp()
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    const plan = await openRequest(api, msp, execution_id)
    expect(plan).toMatchObject({
      kind: 'PLAN',
      title: 'Plan: T-4711',
      technician_ids: [ADMIN, USER],
      risk: 'READ',
      plan: [
        { step: 1, text: 'Add note (text: “We are on it.”, visibility: INTERNAL).', access: 'WRITE' },
        { step: 2, text: 'Change status (status: “In progress”).', access: 'WRITE' },
      ],
      allowed_decisions: ['APPROVE', 'REJECT'],
      requested_by: { type: 'AGENT', id: '1', name: 'Chain' },
    })
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'WAITING_FOR_APPROVAL',
      supervised: true,
      pending_til_request_count: 1,
    })
    const approved = await approveNext(msp, execution_id)
    expect(approved.resumed_temporal_run_id).toMatch(/^run_/)
    const write = await openRequest(api, msp, execution_id)
    expect(write).toMatchObject({
      kind: 'WRITE',
      tool_name: 'ticket.add_note',
      tool_title: 'Add note',
      title: 'Add note: T-4711',
      arguments: { ticket_id: '4711', text: 'We are on it.', visibility: 'INTERNAL' },
      risk: 'CHANGE',
      allowed_decisions: ['APPROVE', 'REJECT', 'EDIT'],
      technician_ids: [ADMIN, USER],
      initiating_temporal_run_id: approved.resumed_temporal_run_id,
    })
    expect(await notesOf(msp)).toEqual([])
    await approveNext(msp, execution_id)
    expect(await notesOf(msp)).toMatchObject([{ text: 'We are on it.' }])
    await approveNext(msp, execution_id)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
      run_count: 4,
      pending_til_request_count: 0,
    })
    expect(kindsOf(await requestsOf(api, msp, execution_id))).toEqual([
      ['PLAN', 'APPROVED'],
      ['WRITE', 'APPROVED'],
      ['WRITE', 'APPROVED'],
    ])
  })

  it('leaves its plan, its questions and its decisions in the timeline and in the audit log', async () => {
    const msp = await supervisedMsp([NOTE])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    await approveNext(msp, execution_id)
    await approveNext(msp, execution_id)
    expect(await timelineOf(api, msp, execution_id)).toEqual([
      'STATUS_CHANGED',
      'PLAN',
      'APPROVAL_REQUESTED',
      'TOOL_CALL',
      'STATUS_CHANGED',
      'APPROVAL_DECIDED',
      'STATUS_CHANGED',
      'APPROVAL_REQUESTED',
      'TOOL_CALL',
      'STATUS_CHANGED',
      'APPROVAL_DECIDED',
      'STATUS_CHANGED',
      'TOOL_CALL',
      'STATUS_CHANGED',
    ])
    const { data } = await api.call(msp.key, 'execution_tool_calls', { execution_id })
    expect(data.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'SUCCEEDED',
      'PENDING_APPROVAL',
      'PENDING_APPROVAL',
    ])
    expect(data[0]).toMatchObject({ supervised: true, decided_by_name: `Technician ${USER}` })
  })

  it('is supervised in every run that a decision resumes', async () => {
    const msp = await supervisedMsp([NOTE])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    await approveNext(msp, execution_id)
    await approveNext(msp, execution_id)
    const runs = await api.call(msp.key, 'execution_runs', { execution_id })
    expect(runs.data.map(({ supervised }: { supervised: boolean }) => supervised)).toEqual([true, true, true])
    const ids = (await requestsOf(api, msp, execution_id)).map(({ id }: { id: string }) => id)
    expect(
      runs.data.map(({ resumed_by_til_request_id: id }: { resumed_by_til_request_id: string }) => id),
    ).toEqual([null, ...ids])
  })

  it('makes the call with the arguments as they were edited', async () => {
    const msp = await supervisedMsp([NOTE])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    await approveNext(msp, execution_id)
    const edited_arguments = { ticket_id: '4712', text: 'Edited.', visibility: 'INTERNAL' }
    await approveNext(msp, execution_id, { edited_arguments })
    expect(await notesOf(msp)).toEqual([])
    expect(await psaOfTenant(msp).notesOf('4712')).toMatchObject([{ text: 'Edited.' }])
    const { data } = await api.call(msp.key, 'execution_tool_calls', { execution_id })
    expect(data[0]).toMatchObject({ outcome: 'SUCCEEDED', arguments: edited_arguments })
  })

  it('ends without a change if its plan is rejected', async () => {
    const msp = await supervisedMsp()
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    await reject(msp.user, (await openRequest(api, msp, execution_id)).id, 'Wrong ticket')
    await performRuns(msp)
    const execution = await executionOf(api, msp, execution_id)
    expect(execution).toMatchObject({ status: 'COMPLETED', resolution: 'NONE' })
    expect(execution.message_for_dashboard).toMatch(/Technician \d+ .*Wrong ticket/)
    expect(await notesOf(msp)).toEqual([])
  })

  it('ends with what it did if a later change is rejected', async () => {
    const msp = await supervisedMsp()
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    await approveNext(msp, execution_id)
    await approveNext(msp, execution_id)
    await reject(msp.user, (await openRequest(api, msp, execution_id)).id, 'Leave it open')
    await performRuns(msp)
    const execution = await executionOf(api, msp, execution_id)
    expect(execution).toMatchObject({ status: 'COMPLETED', resolution: 'PARTIAL' })
    expect(execution.message_for_dashboard).toMatch(/^Change status was refused.*Leave it open/)
    expect(await psaOfTenant(msp).ticket('4711')).not.toMatchObject({ status: 'In progress' })
    const { data } = await api.call(msp.key, 'execution_tool_calls', { execution_id })
    expect(data[0]).toMatchObject({ outcome: 'DENIED', decided_by_name: `Technician ${USER}` })
  })

  it('that is supervised by its agent’s own setting waits too', async () => {
    const msp = await supervisedMsp([NOTE], {
      supervised: true,
      supervisor_technician_ids: [USER],
      agent_settings: { supervised: true, supervisor_technician_ids: [USER] },
    })
    const execution_id = await start(api, msp)
    await performRuns(msp)
    expect(await openRequest(api, msp, execution_id)).toMatchObject({ kind: 'PLAN', technician_ids: [USER] })
  })

  it('of an agent that reads alone asks nobody', async () => {
    const msp = await supervisedMsp([{ type: 'ticket.read', params: {} }])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await requestsOf(api, msp, execution_id)).toEqual([])
  })
})

describeApi('a run that nobody supervises', (api) => {
  const require = (msp: Msp, requires_approval: boolean, approvers: number[] = []) =>
    api.call(msp.owner, 'update_permission_group', {
      name: 'TICKETS',
      input: { requires_approval, approver_technician_ids: approvers },
    })

  it('waits if the tool’s permission group requires an approval, without a plan', async () => {
    const msp = await supervisedMsp([NOTE])
    await require(msp, true, [USER])
    const execution_id = await start(api, msp)
    await performRuns(msp)
    const write = await openRequest(api, msp, execution_id)
    expect(write).toMatchObject({ kind: 'WRITE', technician_ids: [USER] })
    await decisions(api).approve(msp.user, write.id)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
    })
    expect(await notesOf(msp)).toHaveLength(1)
  })

  it('asks those who approve by default, and else every technician', async () => {
    const msp = await supervisedMsp([NOTE])
    await require(msp, true)
    const first = await start(api, msp)
    await performRuns(msp)
    expect((await openRequest(api, msp, first)).technician_ids).toEqual([ADMIN])
    const where = { tenant_id: msp.tenant_id, id: msp.admin.id }
    await msp.database.prisma.tenantUser.updateMany({ where, data: { technician_profile_id: null } })
    await addTechnicians(msp, [{ id: 700_020, psa_id: 20, deleted_at: new Date() }])
    const second = await start(api, msp, '4712')
    await performRuns(msp)
    expect((await openRequest(api, msp, second)).technician_ids).toEqual([ADMIN, USER])
  })

  it('waits from its next change on if supervision is switched on', async () => {
    const msp = await supervisedMsp()
    await require(msp, true, [USER])
    const execution_id = await start(api, msp)
    await performRuns(msp)
    const first = await openRequest(api, msp, execution_id)
    await require(msp, false)
    await start(api, msp, '4711', { supervised_run: true, supervisor_technician_ids: [ADMIN] })
    await decisions(api).approve(msp.user, first.id)
    await performRuns(msp)
    expect(await notesOf(msp)).toHaveLength(1)
    expect(await openRequest(api, msp, execution_id)).toMatchObject({ kind: 'PLAN', technician_ids: [ADMIN] })
    expect(STATUS.type).toBe('ticket.set_status')
  })

  it('makes its changes at once otherwise', async () => {
    const msp = await supervisedMsp([NOTE])
    const execution_id = await start(api, msp)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await requestsOf(api, msp, execution_id)).toEqual([])
  })
})

describeApi('a question of a run', (api) => {
  const ASK = {
    type: 'technician.ask',
    params: { question: 'Which Jane?', options: ['In Sales', 'In Finance'] },
  }

  it('waits for an answer, with which the run goes on', async () => {
    const msp = await supervisedMsp([ASK, NOTE])
    const execution_id = await start(api, msp)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'WAITING_FOR_INPUT' })
    const request = await openRequest(api, msp, execution_id)
    const options = [
      { id: '1', label: 'In Sales' },
      { id: '2', label: 'In Finance' },
    ]
    expect(request).toMatchObject({ kind: 'QUESTION', question: 'Which Jane?', options, tool_name: null })
    await decisions(api).answer(msp.admin, request.id, { option_id: '2' })
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
    })
    const stored = await msp.database.prisma.storedToolCall.findFirst({
      where: { tenant_id: msp.tenant_id, execution_id, tool_name: 'technician.ask' },
    })
    expect(stored).toMatchObject({ status: 'SUCCEEDED', result: { answer: 'In Finance' } })
    expect(await timelineOf(api, msp, execution_id)).toContain('QUESTION')
  })
})

describeApi('an agent in shadow mode', (api) => {
  it('writes nothing, records what it would have asked, and goes on as if it were approved', async () => {
    const agent_settings = { supervised: true, supervision_mode: 'SHADOW' }
    const msp = await supervisedMsp(undefined, { agent_settings, supervised: true })
    const execution_id = await start(api, msp)
    await performRuns(msp)
    const execution = await executionOf(api, msp, execution_id)
    expect(execution).toMatchObject({ status: 'COMPLETED', resolution: 'NONE', run_count: 1 })
    expect(execution.message_for_dashboard).toMatch(/only recorded/)
    expect(kindsOf(await requestsOf(api, msp, execution_id)).toSorted()).toEqual([
      ['PLAN', 'SHADOWED'],
      ['WRITE', 'SHADOWED'],
      ['WRITE', 'SHADOWED'],
    ])
    const { data } = await api.call(msp.key, 'execution_tool_calls', { execution_id })
    expect(data.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['SKIPPED', 'SKIPPED'])
    expect(data[0].til_request_id).not.toBeNull()
    expect(await notesOf(msp)).toEqual([])
  })
})
