import { beforeAll, expect, it } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { describeApi, outcome } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { days, type Msp } from '../setup/world.ts'
import {
  expireOverdue,
  journeyMsp,
  LEAD,
  NOTE,
  READ,
  STATUS,
  SUPERVISED,
  storyOf,
  TECHNICIAN,
  TICKET,
} from './story.ts'
import { expectWholeTrail } from './trail.ts'

beforeAll(installQueues)

const ARGUMENTS = { ticket_id: TICKET, text: 'We are on it.', visibility: 'PUBLIC' }

describeApi('the journey of a supervised run', (api) => {
  /** A supervised run of these actions, which waits with its first request. */
  async function supervised(actions: readonly object[], changes: object = {}) {
    const msp: Msp = await journeyMsp()
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({ actions, ...changes })
    const { execution_id } = await story.run(agent_id, SUPERVISED)
    await story.work()
    return { msp, story, execution_id, agent_id }
  }

  it('whose plan and whose writes are approved', async () => {
    const { msp, story, execution_id } = await supervised([READ, NOTE, STATUS])
    expect(await story.open(execution_id)).toMatchObject({
      kind: 'PLAN',
      technician_ids: [LEAD, TECHNICIAN],
      allowed_decisions: ['APPROVE', 'REJECT'],
    })
    expect(await story.calls(execution_id)).toMatchObject([
      { tool_name: 'ticket.read', outcome: 'SUCCEEDED' },
      { outcome: 'PENDING_APPROVAL' },
    ])
    for (const kind of ['PLAN', 'WRITE', 'WRITE']) {
      expect(await story.execution(execution_id)).toMatchObject({
        status: 'WAITING_FOR_APPROVAL',
        supervised: true,
        pending_til_request_count: 1,
      })
      expect((await story.notes()).length).toBe(
        kind === 'WRITE' ? (await story.runs(execution_id)).length - 2 : 0,
      )
      expect(await story.approve(execution_id)).toMatchObject({ kind, status: 'APPROVED' })
    }
    expect(await story.execution(execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
      run_count: 4,
      supervised: true,
    })
    expect(await story.notes()).toHaveLength(1)
    expect(await story.ticket()).toMatchObject({ status: 'In progress' })
    await expectWholeTrail(story, msp, execution_id)
  })

  it('whose write is edited: the edited text is written, and both versions are kept', async () => {
    const { msp, story, execution_id } = await supervised([NOTE])
    await story.approve(execution_id)
    const { id: til_request_id, arguments_hash } = await story.open(execution_id)
    const edited_arguments = { ...ARGUMENTS, text: 'A colleague is on it.' }
    const attempt = (input: object) =>
      api.call(msp.user, 'approve_til_request', { til_request_id, input: { edited_arguments, ...input } })
    expect(outcome(await attempt({ arguments_hash: 'f'.repeat(64) }))).toEqual([409, 'arguments_changed'])
    const misfit = await attempt({ edited_arguments: { ...ARGUMENTS, visibility: 'SECRET' } })
    expect(outcome(misfit)).toEqual([422, 'request_validation_failed'])
    expect(await story.open(execution_id)).toMatchObject({ arguments: ARGUMENTS, edited_arguments: null })
    const approved = await story.approve(execution_id, { edited_arguments, arguments_hash })
    expect(approved).toMatchObject({ arguments: ARGUMENTS, arguments_hash, edited_arguments })
    expect(approved.edited_arguments_hash).toMatch(/^[0-9a-f]{64}$/)
    expect(approved.edited_arguments_hash).not.toBe(arguments_hash)
    expect(await story.notes()).toMatchObject([{ text: 'A colleague is on it.' }])
    expect((await story.calls(execution_id)).at(-1)).toMatchObject({
      outcome: 'SUCCEEDED',
      arguments: edited_arguments,
      til_request_id,
    })
    expect(await story.execution(execution_id)).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
    await expectWholeTrail(story, msp, execution_id)
  })

  it.each([
    ['plan', 0, 'NONE', 0],
    ['first write', 1, 'NONE', 0],
    ['second write', 2, 'PARTIAL', 0.25],
  ] as const)('whose %s is rejected', async (_what, approvals, resolution, hours_saved) => {
    const { msp, story, execution_id } = await supervised([NOTE, STATUS])
    for (let approved = 0; approved < approvals; approved++) await story.approve(execution_id)
    const { id: til_request_id } = await story.open(execution_id)
    const empty = await api.call(msp.user, 'reject_til_request', { til_request_id, input: { comment: '' } })
    expect(outcome(empty)).toEqual([422, 'request_validation_failed'])
    await story.reject(execution_id, 'Ask her first.')
    const execution = await story.execution(execution_id)
    expect(execution).toMatchObject({
      status: 'COMPLETED',
      resolution,
      hours_saved,
      failure_kind: null,
      error: null,
    })
    expect(execution.message_for_dashboard).toContain('Ask her first.')
    expect(await story.notes()).toHaveLength(approvals === 2 ? 1 : 0)
    expect(await story.ticket()).toMatchObject({ status: 'New' })
    expect((await story.calls(execution_id)).at(-1)).toMatchObject({ outcome: 'DENIED', til_request_id })
    await expectWholeTrail(story, msp, execution_id)
  })

  it.each(['PLAN', 'WRITE'])('whose %s nobody decides in time', async (kind) => {
    const { msp, story, execution_id } = await supervised([NOTE, STATUS])
    if (kind === 'WRITE') await story.approve(execution_id)
    const { id: til_request_id, expires_at, ...request } = await story.open(execution_id)
    expect(request.kind).toBe(kind)
    clock.turn(Date.parse(expires_at) - clock.now().getTime() + 1000)
    const approve = () => api.call(msp.user, 'approve_til_request', { til_request_id, input: {} })
    expect(outcome(await approve())).toEqual([409, 'til_request_expired'])
    await expireOverdue()
    expect(await story.done(msp.key, 'til_request', { til_request_id })).toMatchObject({ status: 'EXPIRED' })
    const late = await approve()
    expect([...outcome(late), late.error?.details]).toMatchObject([
      409,
      'til_request_closed',
      { status: 'EXPIRED', decided_by_name: null },
    ])
    await story.work()
    const execution = await story.execution(execution_id)
    expect(execution).toMatchObject({ status: 'COMPLETED', resolution: 'NONE', hours_saved: 0 })
    expect(execution.message_for_dashboard).toMatch(/in time/)
    expect(execution.seconds_spent).toBeLessThan(days(1) / 1000)
    expect(await story.notes()).toEqual([])
    await expectWholeTrail(story, msp, execution_id)
  })

  it('decided by nobody but its technicians, and by a POST alone', async () => {
    const { msp, story, execution_id } = await supervised([NOTE])
    const { id: til_request_id } = await story.open(execution_id)
    const refused = [
      [msp.key, 403, 'acting_user_required'],
      [msp.owner, 403, 'not_an_approver'],
    ] as const
    for (const [caller, status, code] of refused)
      expect(outcome(await api.call(caller, 'approve_til_request', { til_request_id, input: {} }))).toEqual([
        status,
        code,
      ])
    const viewer = await api.call(msp.viewer, 'approve_til_request', { til_request_id, input: {} })
    expect(viewer.status).toBe(403)
    expect(await story.open(execution_id)).toMatchObject({ id: til_request_id, kind: 'PLAN' })
    expect(await story.work()).toBe(0)
    expect(await story.execution(execution_id)).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
  })
})
