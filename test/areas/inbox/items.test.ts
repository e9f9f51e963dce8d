/** Items of inboxes follow from events: one for a cause, in the inboxes of those whom it concerns. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { followTenant } from '../../../src/areas/inbox/follow.ts'
import { share } from '../../setup/agents.ts'
import { clock, testApp } from '../../setup/app.ts'
import { addNotifications } from '../../setup/escalations.ts'
import { addEvents } from '../../setup/events.ts'
import { failure, happened, inboxesWith, inboxMsp, itemsOf, prefer, tidyUp } from '../../setup/inboxes.ts'
import { makeTechnician } from '../../setup/til-requests.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

const change = ({ database, tenant_id }: Msp, data: object) =>
  database.prisma.inboxItem.updateMany({ where: { tenant_id }, data })

const failing = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => failure(`exe_${from + index}`))

describe('what happens for one cause', () => {
  it('is one item, which counts it and names 20 agents and tickets', async () => {
    const msp = await inboxMsp()
    await happened(msp, ...failing(500))
    await happened(msp, ...failing(500, 501))
    expect(await itemsOf(msp, msp.owner.id)).toMatchObject([
      {
        kind: 'EXECUTION_FAILED',
        severity: 'CRITICAL',
        title: 'Ada: executions fail (model_refused)',
        state: 'UNREAD',
        subject_type: 'EXECUTION',
        subject_id: 'exe_1000',
        action_required: false,
        resolved: false,
        occurrence_count: 1000,
        affected_agent_ids: [1],
        affected_entity_numbers: Array.from({ length: 20 }, (_, index) => `#exe_${index + 1}`),
      },
    ])
  })

  it('is another item for another agent, and for another code', async () => {
    const msp = await inboxMsp()
    await happened(msp, failure('a'), failure('b', 'max_tool_calls'), failure('c', 'model_refused', 2))
    expect((await itemsOf(msp, msp.owner.id)).map(({ cause }) => cause).toSorted()).toEqual([
      '1/max_tool_calls',
      '1/model_refused',
      '2/model_refused',
    ])
  })

  it('counts once, however often the feed is followed, and by how many at once', async () => {
    const msp = await inboxMsp()
    const { tenant_id, environment } = msp
    const { services } = (await testApp()).app
    await addEvents(msp, failing(1500))
    const follow = () => followTenant(services, { tenant_id, environment })
    await Promise.all([follow(), follow(), follow()])
    await follow()
    expect(await itemsOf(msp, msp.owner.id)).toMatchObject([{ occurrence_count: 1500 }])
  })

  it('makes an item UNREAD again, at most once a minute', async () => {
    const msp = await inboxMsp()
    await happened(msp, failure('a'))
    const read = () => change(msp, { state: 'READ' })
    const state = async () => (await itemsOf(msp, msp.owner.id))[0]?.state
    await read()
    clock.advance(40_000)
    await happened(msp, failure('b'))
    expect(await state()).toBe('READ')
    clock.advance(20_000)
    await happened(msp, failure('c'))
    expect(await state()).toBe('UNREAD')
    await read()
    clock.advance(20_000)
    await happened(msp, failure('d'))
    expect(await state()).toBe('READ')
    expect(await itemsOf(msp, msp.owner.id)).toMatchObject([{ occurrence_count: 4 }])
    // The last occurrence makes the item UNREAD once the minute is over.
    await tidyUp()
    expect(await state()).toBe('READ')
    clock.advance(40_000)
    await tidyUp()
    expect(await itemsOf(msp, msp.owner.id)).toMatchObject([{ state: 'UNREAD', unread_due_at: null }])
    await read()
    clock.advance(120_000)
    await tidyUp()
    expect(await state()).toBe('READ')
  })

  it.each([
    ['resolved', { resolved: true }],
    ['ARCHIVED', { state: 'ARCHIVED' }],
  ])('leaves an item that is %s meanwhile', async (_state, data) => {
    const msp = await inboxMsp()
    await happened(msp, failure('a'))
    await change(msp, { state: 'READ' })
    await happened(msp, failure('b'))
    await change(msp, data)
    clock.advance(120_000)
    await tidyUp()
    expect(await itemsOf(msp, msp.owner.id)).toMatchObject([{ state: 'READ', ...data }])
  })

  it.each([
    ['resolved', { resolved: true }],
    ['ARCHIVED', { state: 'ARCHIVED' }],
  ])('opens a new item after one that is %s', async (_state, data) => {
    const msp = await inboxMsp()
    await happened(msp, failure('a'))
    await change(msp, data)
    await happened(msp, failure('b'), failure('c'))
    expect(await itemsOf(msp, msp.owner.id)).toMatchObject([
      { occurrence_count: 1, ...data },
      { occurrence_count: 2, state: 'UNREAD', resolved: false },
    ])
  })

  it('makes no item of a kind that is quiet', async () => {
    const msp = await inboxMsp()
    await prefer(msp, msp.owner.id, { quiet_kinds: ['EXECUTION_FAILED'] })
    await happened(msp, failure('a'))
    expect(await inboxesWith(msp)).toEqual([msp.admin.id])
  })
})

describe('the inboxes', () => {
  it('of failures are those of who made the agent, and of who may edit it', async () => {
    const msp = await inboxMsp()
    await share(msp, 1, msp.user.id, true)
    await share(msp, 1, msp.viewer.id)
    await happened(msp, failure('a'))
    expect((await inboxesWith(msp)).toSorted()).toEqual([msp.owner.id, msp.admin.id, msp.user.id].toSorted())
    const made = await inboxMsp()
    const { tenant_id } = made
    const data = { created_by_user_id: made.user.id }
    await made.database.prisma.agent.updateMany({ where: { tenant_id, id: 1 }, data })
    await happened(made, failure('a'))
    expect(await inboxesWith(made)).toContain(made.user.id)
  })

  it('of requests are those of the technicians who are named, now and later', async () => {
    const msp = await inboxMsp()
    await makeTechnician(msp, msp.user.id, 7)
    await makeTechnician(msp, msp.viewer.id, 8)
    const request = (type: string, ...technician_ids: number[]) => ({
      type: `til_request.${type}`,
      entity_id: 'til_1',
      agent_id: 1,
      data: { risk: 'HIGH', technician_ids, entity_number: 'T-1' },
    })
    await happened(msp, request('created', 7))
    expect(await itemsOf(msp)).toMatchObject([
      { user_id: msp.user.id, kind: 'TIL_REQUEST', action_required: true, severity: 'CRITICAL' },
    ])
    await happened(msp, request('reassigned', 8))
    const items = await itemsOf(msp)
    expect(items.map(({ user_id, resolved }) => [user_id, resolved]).toSorted()).toEqual(
      [
        [msp.user.id, true],
        [msp.viewer.id, false],
      ].toSorted(),
    )
    expect(items.map(({ occurrence_count }) => occurrence_count)).toEqual([1, 1])
    await change(msp, { state: 'ARCHIVED' })
    await happened(msp, request('reassigned', 8))
    expect(await itemsOf(msp)).toHaveLength(2)
    await happened(msp, request('approved', 8))
    expect((await itemsOf(msp)).map(({ resolved }) => resolved)).toEqual([true, true])
  })

  it('of an escalation are those whom a step tells by their inbox, until another person claims it', async () => {
    const msp = await inboxMsp()
    await makeTechnician(msp, msp.user.id, 7)
    await makeTechnician(msp, msp.viewer.id, 8)
    await makeTechnician(msp, msp.admin.id, 9)
    const { tenant_id, environment, database } = msp
    const times = { created_at: clock.now(), updated_at: clock.now() }
    await database.prisma.escalationEvent.create({
      data: {
        tenant_id,
        environment,
        id: 'esc_1',
        policy_id: 1,
        policy_name: 'Nights',
        trigger: 'AGENT_GAVE_UP',
        steps: [],
        respect_business_hours: false,
        subject: 'TICKET/1',
        ...times,
      },
    })
    await addNotifications(msp, [
      { event_id: 'esc_1', target_id: '7' },
      { event_id: 'esc_1', target_id: '8' },
      { event_id: 'esc_1', target_id: '9', via: 'EMAIL' },
    ])
    const escalation = (type: string) => ({
      type: `escalation.${type}`,
      entity_id: 'esc_1',
      data: { trigger: 'AGENT_GAVE_UP', current_step: 1, entity_number: 'T-1' },
    })
    await happened(msp, escalation('notified'))
    expect((await inboxesWith(msp)).toSorted()).toEqual([msp.user.id, msp.viewer.id].toSorted())
    expect(await itemsOf(msp, msp.user.id)).toMatchObject([
      { title: 'An agent cannot go on (ticket T-1)', subject_id: 'esc_1', action_required: true },
    ])
    await database.prisma.escalationEvent.updateMany({
      where: { tenant_id },
      data: { acknowledged_by_id: msp.user.id },
    })
    await happened(msp, escalation('acknowledged'))
    expect(await itemsOf(msp, msp.user.id)).toMatchObject([{ resolved: false }])
    expect(await itemsOf(msp, msp.viewer.id)).toMatchObject([{ resolved: true }])
    await happened(msp, escalation('resolved'))
    expect(await itemsOf(msp, msp.user.id)).toMatchObject([{ resolved: true }])
  })
})
