/** An agent gives up: its ticket changes, people are told step by step, and the first one who takes it over has it. */
import { afterEach, beforeAll, expect, it } from 'vitest'
import { queueStalled } from '../../src/areas/escalation/stalled.ts'
import { expireRequests } from '../../src/areas/til-requests/deciding/expire.ts'
import { installQueues } from '../areas/agents/runnable.ts'
import { happen } from '../areas/callbacks/events.ts'
import { answered, chatMsp, post, SITE } from '../areas/channels/chats.ts'
import { agenticMsp, turns } from '../areas/executions/run/agentic.ts'
import { start } from '../areas/executions/run/chain.ts'
import { addAgents } from '../setup/agents.ts'
import { type Api, describeApi } from '../setup/api.ts'
import { clock, testApp } from '../setup/app.ts'
import { addChannels } from '../setup/channels.ts'
import { performDue } from '../setup/connected.ts'
import { useMailServer } from '../setup/escalation-mails.ts'
import { escalate, later } from '../setup/escalations.ts'
import { limitRequests, playModel } from '../setup/model.ts'
import { addPsaTechnicians, addPsaTickets, psaOfTenant } from '../setup/psa.ts'
import { performRuns } from '../setup/runs.ts'
import { addTechnicians } from '../setup/technicians.ts'
import { type Msp, world } from '../setup/world.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

const GIVE_UP = { tool: 'escalation.raise', args: { reason: 'The licence server needs a new contract.' } }

/** Closes the requests that nobody decided in time. */
async function expireAll(): Promise<void> {
  const { services } = (await testApp()).app
  const { signal } = new AbortController()
  await expireRequests.run({ services, now: clock.now(), signal, log: services.log })
}

/** The users USER and VIEWER are the technicians Ada and Bo, on a desk with a channel. */
async function staff(msp: Msp): Promise<void> {
  const { tenant_id, database } = msp
  await addPsaTechnicians(msp, [{ psa_id: 1 }, { psa_id: 2 }])
  await addTechnicians(msp, [
    { id: 1, psa_id: 1, name: 'Ada' },
    { id: 2, psa_id: 2, name: 'Bo' },
  ])
  for (const [id, technician_profile_id, email] of [
    [msp.user.id, 1, 'ada@msp.example'],
    [msp.viewer.id, 2, 'bo@msp.example'],
  ] as const)
    await database.prisma.tenantUser.updateMany({
      where: { tenant_id, id },
      data: { technician_profile_id, email },
    })
  await addAgents(msp, [
    { id: 9, autonomy_type: 'CONVERSATIONAL', trigger_type: 'CHAT', entity_type: 'NONE' },
  ])
  await addChannels(msp, [{ id: 'chn_desk', agent_id: 9, name: 'Desk' }])
}

const TECHNICIANS = { target_type: 'TECHNICIANS', notify_via: ['INBOX', 'EMAIL'] }

/** A policy through the API: Ada and the channel are told at once, and Bo after 15 minutes. */
async function createPolicy(api: Api, msp: Msp, also: object = {}) {
  const input = {
    name: 'Hand over',
    triggers: ['AGENT_GAVE_UP', 'END_USER_ASKED_FOR_HUMAN'],
    steps: [
      { ...TECHNICIANS, target_ids: ['1'] },
      { target_type: 'CHANNEL', target_ids: ['chn_desk'] },
      { ...TECHNICIANS, target_ids: ['2'], wait_minutes: 15 },
    ],
    ...also,
  }
  const answer = await api.call(msp.admin, 'create_escalation_policy', { input })
  expect(answer.error).toBeNull()
  return answer.data
}

describeApi('a journey of an escalation', (api) => {
  it('an agent gives up, the ticket changes, two are told, the first one takes it over, the second one reads who', async () => {
    const [msp, server] = [await agenticMsp(), await useMailServer()]
    const { services } = (await testApp()).app
    await staff(msp)
    await psaOfTenant(msp).updateTicket('4711', { assignee_psa_id: 1 }, 'assigned')
    await createPolicy(api, msp, { ticket_change: { status: 'In progress', remove_assignee: true } })
    await playModel(turns({ calls: [GIVE_UP] }))
    const execution_id = await start(api, msp)
    await performRuns(msp)
    await performDue(services, msp)

    expect(await psaOfTenant(msp).ticket('4711')).toMatchObject({
      status: 'In progress',
      assignee_psa_id: null,
    })
    expect(server.mails).toMatchObject([{ to: ['ada@msp.example'], text: expect.stringContaining('T-4711') }])
    const { data: said } = await api.call(msp.admin, 'channel_messages', { channel_id: 'chn_desk' })
    expect(said).toMatchObject([{ status: 'SENT', text: expect.stringContaining(GIVE_UP.args.reason) }])

    // Ada and Bo do not see the agent. Ada was told of the escalation by name, and Bo was not yet.
    expect((await api.call(msp.viewer, 'escalation_events')).data).toEqual([])
    const { data } = await api.call(msp.user, 'escalation_events')
    expect(data).toMatchObject([
      {
        trigger: 'AGENT_GAVE_UP',
        status: 'OPEN',
        execution_id,
        entity_number: 'T-4711',
        ticket_changed: true,
        current_step: 2,
        unanswered: false,
        notified: [
          { step: 1, name: 'Ada', via: 'INBOX' },
          { step: 1, name: 'Ada', via: 'EMAIL' },
          { step: 2, name: 'Desk', via: 'CHANNEL' },
        ],
      },
    ])
    const [{ id: event_id }] = data
    const claimed = await api.call(msp.user, 'acknowledge_escalation', { event_id })
    expect(claimed.data).toMatchObject({ status: 'ACKNOWLEDGED', acknowledged_by_name: 'User' })
    const second = await api.call(msp.admin, 'acknowledge_escalation', { event_id })
    expect([second.status, second.error?.code, second.error?.details.acknowledged_by_name]).toEqual([
      409,
      'already_acknowledged',
      'User',
    ])
    await later(msp, 60)
    expect(server.mails).toHaveLength(1)
    const resolved = await api.call(msp.user, 'resolve_escalation', {
      event_id,
      input: { comment: 'Renewed.' },
    })
    expect(resolved.data).toMatchObject({ status: 'RESOLVED', comment: 'Renewed.', current_step: 2 })
    const { data: activities } = await api.call(msp.admin, 'activity_log')
    expect(activities.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining([
        'escalation_policy.created',
        'escalation_event.opened',
        'escalation_event.acknowledged',
        'escalation_event.resolved',
      ]),
    )
  })

  it('nobody answers: every step is taken, and the escalation is unanswered', async () => {
    const [msp, server] = [await agenticMsp(), await useMailServer()]
    const { services } = (await testApp()).app
    await staff(msp)
    await createPolicy(api, msp)
    await playModel(turns({ calls: [GIVE_UP] }))
    await start(api, msp)
    await performRuns(msp)
    await performDue(services, msp)
    const read = async () => (await api.call(msp.admin, 'escalation_events')).data[0]
    expect(await read()).toMatchObject({ current_step: 2, unanswered: false })
    await later(msp, 16)
    expect(await read()).toMatchObject({
      status: 'OPEN',
      current_step: 3,
      next_step_at: null,
      unanswered: true,
    })
    expect(server.mails.map(({ to }) => to)).toEqual([['ada@msp.example'], ['bo@msp.example']])
    expect((await api.call(msp.viewer, 'escalation_events')).data).toHaveLength(1)
  })

  it('a run fails, and the request of another one expires: both tell the technicians', async () => {
    const msp = await agenticMsp({ approval_minutes: 30 })
    await staff(msp)
    await createPolicy(api, msp, { triggers: ['EXECUTION_FAILED', 'TIL_REQUEST_EXPIRED'] })
    await playModel([{ calls: [{ tool: 'technician.ask', args: { question: 'Which contract?' } }] }])
    const waiting = await start(api, msp, '4712', { supervised_run: true })
    await performRuns(msp)
    await limitRequests(1000)
    const failing = await start(api, msp)
    await performRuns(msp)
    clock.advance(31 * 60_000)
    await expireAll()
    await escalate(msp)
    const { data } = await api.call(msp.user, 'escalation_events')
    const causes = data.map(({ trigger, execution_id }: Record<string, string>) => [trigger, execution_id])
    expect(causes.toSorted()).toEqual([
      ['EXECUTION_FAILED', failing],
      ['TIL_REQUEST_EXPIRED', waiting],
    ])
  })

  it('a ticket stalls: technicians are told once until somebody touches it', async () => {
    const msp = await world()
    await staff(msp)
    await addPsaTickets(msp, [{ ticket_id: '1', number: 'T-1', status: 'New', updated_at: clock.now() }])
    await createPolicy(api, msp, {
      triggers: ['TICKET_STALLED'],
      stalled_minutes: 60,
      stalled_statuses: ['New'],
      steps: [{ target_type: 'TECHNICIANS', target_ids: ['1'] }],
    })
    await happen(msp, [{ entity_id: '1' }])
    const look = async () => {
      const { services } = (await testApp()).app
      const request = { id: 'stalled', ip: null, user_agent: null, if_match: null }
      await queueStalled(
        { services, now: clock.now(), request, log: services.log },
        { tenant_id: msp.tenant_id },
      )
      await performDue(services, msp)
    }
    await look()
    expect((await api.call(msp.user, 'escalation_events')).data).toEqual([])
    clock.advance(61 * 60_000)
    await look()
    await look()
    expect((await api.call(msp.user, 'escalation_events')).data).toMatchObject([
      { trigger: 'TICKET_STALLED', entity_number: 'T-1', execution_id: null, notified: [{ name: 'Ada' }] },
    ])
  })

  it('an end user asks for a person in a chat: the technicians are told', async () => {
    const [msp, server] = [await chatMsp(), await useMailServer()]
    await addPsaTechnicians(msp, [{ psa_id: 1, email: 'ada@psa.example' }])
    await addTechnicians(msp, [{ id: 1, psa_id: 1, name: 'Ada' }])
    await createPolicy(api, msp, { steps: [{ ...TECHNICIANS, target_ids: ['1'] }] })
    const args = { reason: 'He wants to talk about the invoice.', end_user_asked: true }
    await playModel([{ calls: [{ tool: 'escalation.raise', args }] }, { text: 'A person takes over.' }])
    await post(api, msp.key, { sender: { end_user_id: 'ada' }, text: 'Can I talk to a person?' }, SITE)
    const [, answer] = await answered(api, msp, SITE)
    expect(answer.text).toBe('A person takes over.')
    await escalate(msp)
    expect(server.mails).toMatchObject([
      { to: ['ada@psa.example'], text: expect.stringContaining(args.reason) },
    ])
    expect((await api.call(msp.admin, 'escalation_events')).data).toMatchObject([
      { trigger: 'END_USER_ASKED_FOR_HUMAN', execution_id: null, entity_id: null, status: 'OPEN' },
    ])
  })
})
