/** Webhook endpoints that a step of an escalation tells: they get the step, whatever they subscribe to. */
import { expect, it } from 'vitest'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { addAgents } from '../../setup/agents.ts'
import { type Api, outcome } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { addPolicy, escalationsOf } from '../../setup/escalations.ts'
import { addEvents } from '../../setup/events.ts'
import {
  deliveriesOf,
  describeWebhooks,
  type Got,
  sendWebhooks,
  startReceiver,
  subscribeTo,
} from '../../setup/webhooks.ts'
import { type Msp, world } from '../../setup/world.ts'

const typesOf = (got: readonly Got[]): string[] => got.map(({ body }) => JSON.parse(body).type)

/** The endpoint gets events of executions alone, of agent 9 and of a severity that no step has. */
const OF_OTHERS = {
  event_types: ['execution.failed'],
  filters: { agent_ids: [9], severities: ['WARNING'] },
}

/** A tenant with agents 1 and 9, and an endpoint that a policy tells. */
async function toldMsp(api: Api) {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }, { id: 9 }])
  const receiver = await startReceiver()
  const { data } = await subscribeTo(api, msp.admin, receiver, OF_OTHERS)
  const step = { wait_minutes: 0, target_type: 'WEBHOOK_ENDPOINT', target_ids: [data.id], notify_via: [] }
  await addPolicy(msp, { steps: [step] })
  return { msp, receiver, endpoint_id: data.id as string }
}

/** Agent 1 raises an escalation in a conversation, and its first step is taken. */
async function raise({ tenant_id, environment }: Msp): Promise<string> {
  const { services } = (await testApp()).app
  const ctx = serviceContext(services, 'test', 'test', { tenant_id, environment })
  const work = { channel_id: 'chn_1', conversation_id: 'one' }
  const raised = { agent_id: 1, work, reason: 'x', end_user_asked: false }
  const answer = await services.connectors.escalations(ctx).raise(raised, 'key')
  if ('problem' in answer) throw new Error(answer.problem)
  return answer.event_id
}

/** Takes the step, whose job is due, makes the deliveries of the events, and sends them. */
async function send(msp: Msp): Promise<void> {
  await sendWebhooks(msp)
  await addEvents(msp, [])
  await sendWebhooks(msp)
}

describeWebhooks('an endpoint that an escalation tells', (api) => {
  it('gets the step, and nothing else that it did not ask for', async () => {
    const { msp, receiver, endpoint_id } = await toldMsp(api)
    const event_id = await raise(msp)
    await send(msp)
    expect(typesOf(receiver.got)).toEqual(['escalation.notified'])
    expect(JSON.parse(receiver.got[0]?.body ?? '').data).toMatchObject({
      event_id,
      status: 'OPEN',
      current_step: 1,
      agent_id: 1,
      webhook_endpoint_ids: [endpoint_id],
    })
    expect(await escalationsOf(msp)).toMatchObject([{ current_step: 1 }])
    const { data } = await api.call(msp.admin, 'escalation_event', { event_id })
    expect(data.notified).toMatchObject([
      { step: 1, target_type: 'WEBHOOK_ENDPOINT', target_id: endpoint_id, via: 'WEBHOOK' },
    ])
  })

  it('of a user who does not see the agent gets the step, and the user sees the escalation', async () => {
    const { msp, receiver, endpoint_id } = await toldMsp(api)
    await msp.database.prisma.webhookEndpoint.updateMany({
      where: { tenant_id: msp.tenant_id, id: endpoint_id },
      data: { owner_user_id: msp.user.id },
    })
    const event_id = await raise(msp)
    expect(outcome(await api.call(msp.user, 'escalation_event', { event_id }))).toEqual([
      404,
      'escalation_event_not_found',
    ])
    await send(msp)
    expect(typesOf(receiver.got)).toEqual(['escalation.notified'])
    expect((await api.call(msp.user, 'escalation_event', { event_id })).data).toMatchObject({ id: event_id })
    const listed = (await api.call(msp.user, 'escalation_events')).data
    expect(listed).toMatchObject([{ id: event_id }])
    expect((await api.call(msp.viewer, 'escalation_events')).data).toEqual([])
    const types = (await api.call(msp.user, 'events')).data.map(({ type }: { type: string }) => type)
    expect(types).toContain('escalation.notified')
  })

  it('gets the step again by a replay, unless other types are asked for', async () => {
    const { msp, receiver, endpoint_id } = await toldMsp(api)
    await raise(msp)
    await send(msp)
    const replay = (input: object = {}) =>
      api.call(msp.admin, 'replay_webhook_endpoint', {
        endpoint_id,
        input: { since: new Date(clock.now().getTime() - 3_600_000).toISOString(), ...input },
      })
    await replay({ event_types: ['execution.*'] })
    await sendWebhooks(msp)
    expect(receiver.got).toHaveLength(1)
    await replay()
    await sendWebhooks(msp)
    expect(typesOf(receiver.got)).toEqual(['escalation.notified', 'escalation.notified'])
  })

  it('gets nothing while it is off', async () => {
    const { msp, receiver, endpoint_id } = await toldMsp(api)
    await msp.database.prisma.webhookEndpoint.updateMany({
      where: { tenant_id: msp.tenant_id, id: endpoint_id },
      data: { status: 'DISABLED' },
    })
    await raise(msp)
    await send(msp)
    expect(receiver.got).toEqual([])
    expect(await deliveriesOf(msp)).toEqual([])
  })
})
