import { afterEach, beforeAll, expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { type Api, describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addChannels } from '../../setup/channels.ts'
import { addPolicies, escalate, later } from '../../setup/escalations.ts'
import { raised } from '../../setup/raised.ts'
import { addSchedules, addTechnicians } from '../../setup/technicians.ts'
import { addEndpoints } from '../../setup/webhook-rows.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { addFailing, failAll } from './failing.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

/** A step that tells technicians by their inbox, so many minutes after the one before it. */
const tells = (wait_minutes: number, ...target_ids: readonly string[]) => ({
  wait_minutes,
  target_type: 'TECHNICIANS',
  target_ids,
  notify_via: ['INBOX'],
})

interface Opened {
  msp: Msp
  /** The only escalation, as the administrator reads it. */
  read(): Promise<Record<string, unknown> & { notified: { name: string; step: number }[] }>
}

/** A tenant whose policy has these steps, in which an execution on a ticket has failed. */
async function opened(api: Api, steps: readonly object[], also: object = {}): Promise<Opened> {
  const msp = await world()
  await addTechnicians(msp, [
    { id: 1, psa_id: 1, name: 'Ada' },
    { id: 2, psa_id: 2, name: 'Bo' },
    { id: 3, psa_id: 3, name: 'Cy', deleted_at: clock.now() },
  ])
  await addAgents(msp, [{ id: 1, name: 'Triage' }])
  await addPolicies(msp, [{ id: 5, name: 'Failures', steps: steps as never, ...also }])
  await addFailing(msp, [{ execution_id: 'exe_1', entity_id: '4711', entity_number: 'T-4711' }])
  await failAll(msp)
  await escalate(msp)
  return {
    msp,
    async read() {
      const { data } = await api.call(msp.admin, 'escalation_events')
      expect(data).toHaveLength(1)
      return (await api.call(msp.admin, 'escalation_event', { event_id: data[0].id })).data
    },
  }
}

describeApi('an escalation', (api) => {
  it('takes its first step at once, and says whom it told', async () => {
    const { msp, read } = await opened(api, [tells(0, '1', '2', '3')])
    expect(await read()).toMatchObject({
      policy_id: 5,
      policy_name: 'Failures',
      trigger: 'EXECUTION_FAILED',
      status: 'OPEN',
      reason: null,
      current_step: 1,
      next_step_at: null,
      unanswered: true,
      agent_id: 1,
      execution_id: 'exe_1',
      entity_id: '4711',
      entity_number: 'T-4711',
      ticket_changed: false,
      notified: [
        { step: 1, target_type: 'TECHNICIANS', target_id: '1', name: 'Ada', via: 'INBOX' },
        { step: 1, target_type: 'TECHNICIANS', target_id: '2', name: 'Bo', via: 'INBOX' },
      ],
    })
    expect(await raised(msp, 'escalation.opened', 'escalation.notified')).toMatchObject([
      { data: { trigger: 'EXECUTION_FAILED', status: 'OPEN', current_step: 0, execution_id: 'exe_1' } },
      { data: { current_step: 1, technician_ids: [1, 2] } },
    ])
  })

  it('takes each step at its time, and is unanswered after the last one', async () => {
    const { msp, read } = await opened(api, [tells(10, '1'), tells(20, '2')])
    const first = await read()
    expect(first).toMatchObject({ current_step: 0, unanswered: false, notified: [] })
    const opened_at = new Date(first.created_at as string).getTime()
    expect(new Date(first.next_step_at as string).getTime()).toBe(opened_at + 10 * 60_000)
    await later(msp, 9)
    expect(await read()).toMatchObject({ current_step: 0, notified: [] })
    await later(msp, 2)
    expect(await read()).toMatchObject({ current_step: 1, unanswered: false, notified: [{ name: 'Ada' }] })
    await later(msp, 18)
    expect(await read()).toMatchObject({ current_step: 1 })
    await later(msp, 3)
    expect(await read()).toMatchObject({
      status: 'OPEN',
      current_step: 2,
      next_step_at: null,
      unanswered: true,
      notified: [
        { name: 'Ada', step: 1 },
        { name: 'Bo', step: 2 },
      ],
    })
  })

  it('tells the technicians of a schedule who are at work, or all of them', async () => {
    const always = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'].map(
      (day) => ({
        day,
        start_time: '00:00',
        end_time: '24:00',
      }),
    )
    const step = (id: string) => ({ ...tells(60, id), target_type: 'SCHEDULE' })
    const { msp, read } = await opened(api, [step('1'), step('2')])
    await addSchedules(msp, [
      { id: 1, windows: always },
      { id: 2, windows: [] },
    ])
    const { prisma } = msp.database
    const { tenant_id } = msp
    await prisma.technicianProfile.updateMany({ where: { tenant_id, id: 1 }, data: { schedule_id: 1 } })
    await prisma.technicianProfile.updateMany({
      where: { tenant_id, id: { in: [2, 3] } },
      data: { schedule_id: 2 },
    })
    await later(msp, 61)
    await later(msp, 61)
    expect((await read()).notified).toMatchObject([
      { step: 1, target_type: 'TECHNICIANS', target_id: '1', name: 'Ada' },
      { step: 2, target_type: 'TECHNICIANS', target_id: '2', name: 'Bo' },
    ])
  })

  it('tells channels in the chat, and endpoints that are on', async () => {
    const { msp, read } = await opened(api, [
      { wait_minutes: 5, target_type: 'CHANNEL', target_ids: ['chn_1', 'chn_2', 'chn_3'], notify_via: [] },
      { wait_minutes: 5, target_type: 'WEBHOOK_ENDPOINT', target_ids: ['whe_1', 'whe_2'], notify_via: [] },
    ])
    await addAgents(msp, [{ id: 2, autonomy_type: 'CONVERSATIONAL', trigger_type: 'CHAT' }])
    await addChannels(msp, [
      { id: 'chn_1', agent_id: 2, name: 'Service desk' },
      { id: 'chn_2', agent_id: 2, status: 'PAUSED' },
      { id: 'chn_3', agent_id: 2, name: 'Web', transport: 'WEB_CHAT' },
    ])
    await addEndpoints(msp, [{ id: 'whe_1' }, { id: 'whe_2', status: 'DISABLED' }])
    await later(msp, 6)
    await later(msp, 6)
    expect((await read()).notified).toMatchObject([
      { step: 1, target_type: 'CHANNEL', target_id: 'chn_1', name: 'Service desk', via: 'CHANNEL' },
      { step: 1, target_type: 'CHANNEL', target_id: 'chn_3', name: 'Web', via: 'CHANNEL' },
      { step: 2, target_type: 'WEBHOOK_ENDPOINT', target_id: 'whe_1', name: 'hooks.example', via: 'WEBHOOK' },
    ])
    const { data: messages } = await api.call(msp.admin, 'channel_messages', { channel_id: 'chn_1' })
    expect(messages).toMatchObject([
      { author: 'AGENT', status: 'SENT', text: expect.stringContaining('T-4711') },
    ])
    expect(await raised(msp, 'escalation.notified')).toMatchObject([
      { data: { channel_ids: ['chn_1', 'chn_3'], webhook_endpoint_ids: [] } },
      { data: { channel_ids: [], webhook_endpoint_ids: ['whe_1'] } },
    ])
  })

  it('takes the next step at once if a step finds nobody to tell', async () => {
    const { read } = await opened(api, [tells(0, '3'), tells(1440, '1')])
    expect(await read()).toMatchObject({
      current_step: 2,
      unanswered: true,
      notified: [{ step: 2, name: 'Ada' }],
    })
  })

  it('waits for the business hours of the tenant', async () => {
    const msp_steps = [tells(0, '1')]
    const hour = new Date(clock.now().getTime()).getUTCHours()
    // Business hours that begin in two hours, or that have been over for an hour.
    const start = hour < 21 ? hour + 2 : 1
    const { msp, read } = await openedWithin(api, msp_steps, start)
    const { next_step_at } = await read()
    expect(new Date(next_step_at as string).getUTCHours()).toBe(start)
    expect(next_step_at).toMatch(/:00:00\.000Z$/)
    await later(msp, (new Date(next_step_at as string).getTime() - clock.now().getTime()) / 60_000)
    expect((await read()).notified).toHaveLength(1)
  })

  it('keeps the steps that it was opened with', async () => {
    const { msp, read } = await opened(api, [tells(0, '1'), tells(5, '2')])
    await api.call(msp.admin, 'update_escalation_policy', { policy_id: 5, input: { steps: [tells(0, '1')] } })
    await later(msp, 6)
    expect((await read()).notified).toHaveLength(2)
  })

  it('stops its steps when a person takes it over', async () => {
    const { msp, read } = await opened(api, [tells(0, '1'), tells(5, '2')])
    const { id: event_id } = await read()
    await api.call(msp.admin, 'acknowledge_escalation', { event_id })
    await later(msp, 60)
    expect(await read()).toMatchObject({
      status: 'ACKNOWLEDGED',
      next_step_at: null,
      unanswered: false,
      current_step: 1,
    })
  })
})

/** The same with business hours of one hour of the day. */
async function openedWithin(
  api: Api,
  steps: readonly object[],
  start_business_hours: number,
): Promise<Opened> {
  const msp = await world()
  await addTechnicians(msp, [{ id: 1, psa_id: 1, name: 'Ada' }])
  await addAgents(msp, [{ id: 1 }])
  const input = { start_business_hours, end_business_hours: start_business_hours + 1 }
  await api.call(msp.admin, 'update_settings', { input })
  await addPolicies(msp, [{ id: 5, steps: steps as never, respect_business_hours: true }])
  await addFailing(msp, [{ execution_id: 'exe_1' }])
  await failAll(msp)
  await escalate(msp)
  const read = async () => (await api.call(msp.admin, 'escalation_events')).data[0]
  return { msp, read }
}
