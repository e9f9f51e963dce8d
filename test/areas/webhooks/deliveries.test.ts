/** Deliveries: what an endpoint gets, how it is signed, and what follows from its answers. */
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { addAgents, share } from '../../setup/agents.ts'
import { outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addEvents } from '../../setup/events.ts'
import {
  deliveriesOf,
  describeWebhooks,
  type Got,
  type Receiver,
  sendWebhooks,
  startReceiver,
  subscribeTo,
} from '../../setup/webhooks.ts'
import { type Msp, world } from '../../setup/world.ts'

const HOUR = 3_600_000

const typesOf = (got: readonly Got[]): string[] => got.map(({ body }) => JSON.parse(body).type).sort()

/** Advances the clock to the next attempt of the tenant's one delivery; the hours to it. */
async function toNextAttempt(msp: Msp): Promise<number> {
  const [delivery] = await deliveriesOf(msp)
  const ms = (delivery?.next_attempt_at?.getTime() ?? 0) - clock.now().getTime()
  clock.advance(ms + 1)
  return ms / HOUR
}

describeWebhooks('deliveries', (api) => {
  it('are the event as the feed has it, signed by the secret, under the id of the event', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    const { data } = await subscribeTo(api, msp.admin, receiver)
    await addEvents(msp, [{ type: 'dispatch.suggested', data: { text: 'Ünïcode 🐙', n: 1.5 } }])
    await sendWebhooks(msp)
    const [got] = receiver.got
    const [event] = (await api.call(msp.admin, 'events')).data
    const headers = got?.headers as Record<string, string>
    expect(new Webhook(data.secret).verify(got?.body ?? '', headers)).toEqual(event)
    expect(headers['webhook-id']).toBe(event.id)
    expect(headers['content-type']).toBe('application/json')
    expect(got?.path).toBe('/hook?token=t')
    const { data: deliveries } = await api.call(msp.admin, 'webhook_deliveries', { endpoint_id: data.id })
    expect(deliveries).toMatchObject([
      {
        endpoint_id: data.id,
        event_id: event.id,
        event_type: 'dispatch.suggested',
        status: 'SUCCEEDED',
        attempts: [{ status_code: 204, error: null, response_excerpt: '' }],
        next_attempt_at: null,
        delivered_at: expect.any(String),
      },
    ])
    const endpoint = await api.call(msp.admin, 'webhook_endpoint', { endpoint_id: data.id })
    expect(endpoint.data).toMatchObject({ last_success_at: deliveries[0].delivered_at, failing_since: null })
    await sendWebhooks(msp)
    expect(receiver.got).toHaveLength(1)
  })

  it('are of events from the creation of the endpoint on', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    await addEvents(msp, [{ type: 'dispatch.suggested' }])
    await subscribeTo(api, msp.admin, receiver)
    await addEvents(msp, [{ type: 'dispatch.applied' }])
    await sendWebhooks(msp)
    expect(typesOf(receiver.got)).toEqual(['dispatch.applied'])
  })

  it('are those of the types, and those that every filter lets pass', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    const { tenant_id, environment, database } = msp
    await database.prisma.endCompany.create({
      data: {
        tenant_id,
        environment,
        id: 'cmp_1',
        psa_company_id: '77',
        name: 'Acme',
        updated_at: clock.now(),
        created_at: clock.now(),
      } as never,
    })
    const receivers = await Promise.all([1, 2, 3, 4, 5].map(() => startReceiver()))
    const inputs = [
      { event_types: ['execution.*', 'dispatch.none_fits'] },
      { filters: { agent_ids: [2] } },
      { filters: { severities: ['CRITICAL', 'WARNING'] } },
      { filters: { end_company_ids: ['cmp_1'] } },
      { filters: { agent_ids: [2], severities: ['CRITICAL'] } },
    ]
    for (const [index, receiver] of receivers.entries())
      await subscribeTo(api, msp.admin, receiver, inputs[index])
    await addEvents(msp, [
      { type: 'execution.failed', agent_id: 1, data: { psa_company_id: '77' } },
      { type: 'execution.failed', agent_id: 2, data: { psa_company_id: '78' } },
      { type: 'execution.started', agent_id: 2, data: { psa_company_id: '77' } },
      { type: 'dispatch.none_fits' },
      { type: 'dispatch.applied' },
    ])
    await sendWebhooks(msp)
    expect(receivers.map(({ got }) => typesOf(got))).toEqual([
      ['dispatch.none_fits', 'execution.failed', 'execution.failed', 'execution.started'],
      ['execution.failed', 'execution.started'],
      ['dispatch.none_fits', 'execution.failed', 'execution.failed'],
      ['execution.failed', 'execution.started'],
      ['execution.failed'],
    ])
  })

  it('are what the owner sees: a user, the acting user of a key, and a key that acts for nobody', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2, created_by_user_id: msp.user.id }, { id: 3 }])
    await share(msp, 3, msp.user.id)
    const acting = await msp.newKey({ acting_user_id: msp.admin.id })
    const of_user = await msp.newKey()
    const receivers = await Promise.all([1, 2, 3, 4].map(() => startReceiver()))
    const owners = [msp.admin, acting, msp.key, of_user]
    for (const [index, owner] of owners.entries()) await subscribeTo(api, owner, receivers[index] as Receiver)
    const { tenant_id, database } = msp
    const { webhookEndpoint } = database.prisma
    const where = { tenant_id, owner_user_id: msp.admin.id, created_by_name: 'Admin' }
    await webhookEndpoint.updateMany({ where, data: { owner_user_id: msp.user.id } })
    const by_user = { data: { created_by_user_id: msp.user.id } }
    await database.prisma.apiKey.updateMany({ where: { tenant_id, id: of_user.id }, ...by_user })
    await addEvents(
      msp,
      [1, 2, 3].map((agent_id) => ({ type: 'execution.waiting', agent_id, data: { agent_id } })),
    )
    await addEvents(msp, [{ type: 'settings.updated' }])
    await sendWebhooks(msp)
    const seen = receivers.map(({ got }) =>
      got.map(({ body }) => JSON.parse(body).data.agent_id ?? 'settings').sort(),
    )
    expect(seen).toEqual([
      [2, 3],
      [1, 2, 3, 'settings'],
      [1, 2, 3, 'settings'],
      [1, 2, 3],
    ])
  })

  it('are tried again after 5 s, 5 min, and so on, give or take a fifth, and ten times at the most', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    receiver.answers((response) => response.writeHead(503).end('Down\u0000 for maintenance'))
    const { data } = await subscribeTo(api, msp.admin, receiver)
    await addEvents(msp, [{ type: 'dispatch.suggested' }])
    const pauses: number[] = []
    for (let attempt = 0; attempt < 9; attempt++) {
      await sendWebhooks(msp)
      expect((await deliveriesOf(msp)).map(({ status }) => status)).toEqual(['PENDING'])
      pauses.push(await toNextAttempt(msp))
    }
    await sendWebhooks(msp)
    const expected = [5 / 3600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24]
    for (const [index, pause] of pauses.entries()) {
      expect(pause / (expected[index] ?? 0)).toBeGreaterThan(0.79)
      expect(pause / (expected[index] ?? 0)).toBeLessThan(1.21)
    }
    expect(receiver.got).toHaveLength(10)
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const { data: deliveries } = await api.call(msp.admin, 'webhook_deliveries', { endpoint_id: data.id })
    expect(deliveries).toMatchObject([{ status: 'EXHAUSTED', next_attempt_at: null, delivered_at: null }])
    expect(deliveries[0].attempts).toHaveLength(10)
    expect(deliveries[0].attempts[0]).toMatchObject({
      status_code: 503,
      error: null,
      response_excerpt: 'Down for maintenance',
    })
    clock.advance(48 * HOUR)
    await sendWebhooks(msp)
    expect(receiver.got).toHaveLength(10)
  })

  it('are tried no earlier than Retry-After says, and a day later at the latest', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    receiver.answers((response) => response.writeHead(429, { 'retry-after': '1000000' }).end())
    await subscribeTo(api, msp.admin, receiver)
    await addEvents(msp, [{ type: 'dispatch.suggested' }])
    await sendWebhooks(msp)
    expect(await toNextAttempt(msp)).toBeCloseTo(24, 1)
    receiver.answers((response) => response.writeHead(500, { 'retry-after': '1' }).end())
    await sendWebhooks(msp)
    expect(await toNextAttempt(msp)).toBeGreaterThan(0.06)
  })

  it('follow no redirect, and fail with a status that is none of success', async () => {
    const msp = await world()
    const [receiver, elsewhere] = await Promise.all([startReceiver(), startReceiver()])
    receiver.answers((response) => response.writeHead(307, { location: elsewhere.url }).end())
    await subscribeTo(api, msp.admin, receiver)
    await addEvents(msp, [{ type: 'dispatch.suggested' }])
    await sendWebhooks(msp)
    expect(elsewhere.got).toEqual([])
    expect(await deliveriesOf(msp)).toMatchObject([{ status: 'PENDING', attempts: [{ status_code: 307 }] }])
  })

  it('end with 410, which turns the endpoint off', async () => {
    const msp = await world()
    const [receiver, other] = await Promise.all([startReceiver(), startReceiver()])
    const { data } = await subscribeTo(api, msp.admin, receiver)
    await subscribeTo(api, msp.admin, other, { event_types: ['webhook_endpoint.disabled'] })
    receiver.answers(410)
    await addEvents(msp, [{ type: 'dispatch.suggested' }])
    await sendWebhooks(msp)
    const { data: endpoint } = await api.call(msp.viewer, 'webhook_endpoint', { endpoint_id: data.id })
    expect(endpoint).toMatchObject({ status: 'AUTO_DISABLED', disabled_reason: 'GONE' })
    const input = { status: endpoint.status, url: endpoint.url }
    const same = await api.call(msp.admin, 'update_webhook_endpoint', { endpoint_id: data.id, input })
    expect(same.data).toEqual(endpoint)
    expect((await deliveriesOf(msp)).map(({ status }) => status)).toEqual(['FAILED'])
    await api.call(msp.admin, 'events')
    await sendWebhooks(msp)
    expect(other.got.map(({ body }) => JSON.parse(body))).toMatchObject([
      {
        type: 'webhook_endpoint.disabled',
        severity: 'CRITICAL',
        data: { endpoint_id: data.id, disabled_reason: 'GONE' },
      },
    ])
    const activity = await api.call(msp.admin, 'activity_log')
    expect(activity.data.map(({ action }: { action: string }) => action)).toContain(
      'webhook_endpoint.disabled',
    )
  })

  it('turn an endpoint off that takes nothing for five days', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    receiver.answers(500)
    const { data } = await subscribeTo(api, msp.admin, receiver)
    for (let day = 0; day <= 5; day++) {
      await addEvents(msp, [{ type: 'dispatch.suggested', data: { day } }])
      await sendWebhooks(msp)
      const { data: endpoint } = await api.call(msp.admin, 'webhook_endpoint', { endpoint_id: data.id })
      expect(endpoint).toMatchObject(
        day < 5 ? { status: 'ENABLED' } : { status: 'AUTO_DISABLED', disabled_reason: 'FAILING' },
      )
      clock.advance(24 * HOUR)
    }
    expect(new Set((await deliveriesOf(msp)).map(({ status }) => status))).toEqual(new Set(['FAILED']))
  })

  it('are made one by one until the endpoint takes one, and cease for a while after five failures', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    receiver.answers(500)
    await subscribeTo(api, msp.admin, receiver)
    const events = Array.from({ length: 30 }, (_, n) => ({ type: 'dispatch.suggested', data: { n } }))
    await addEvents(msp, events)
    await sendWebhooks(msp)
    expect(receiver.got).toHaveLength(5)
    await sendWebhooks(msp)
    expect(receiver.got).toHaveLength(5)
    clock.advance(61_000)
    await sendWebhooks(msp)
    expect(receiver.got).toHaveLength(6)
    receiver.answers(204)
    clock.advance(61_000)
    await sendWebhooks(msp)
    const taken = (await deliveriesOf(msp)).filter(({ status }) => status === 'SUCCEEDED')
    expect(taken.length).toBeGreaterThanOrEqual(24)
  })

  it('are sent again by a caller, whatever their status, under the same id', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    await subscribeTo(api, msp.admin, receiver)
    await addEvents(msp, [{ type: 'dispatch.suggested' }])
    await sendWebhooks(msp)
    const [delivery] = await deliveriesOf(msp)
    const resent = await api.call(msp.admin, 'resend_webhook_delivery', { delivery_id: delivery?.id })
    expect(resent.data).toMatchObject({ id: delivery?.id, status: 'PENDING', delivered_at: null })
    await sendWebhooks(msp)
    expect(receiver.got.map(({ headers }) => headers['webhook-id'])).toEqual([
      delivery?.event_id,
      delivery?.event_id,
    ])
    expect(await deliveriesOf(msp)).toMatchObject([{ status: 'SUCCEEDED', attempts: [{}, {}] }])
  })

  it('of events that the caller does not see are left out, and not found', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2, created_by_user_id: msp.user.id }])
    const receiver = await startReceiver()
    const { data } = await subscribeTo(api, msp.admin, receiver)
    await addEvents(msp, [
      { type: 'execution.waiting', agent_id: 1 },
      { type: 'execution.waiting', agent_id: 2 },
      { type: 'settings.updated' },
    ])
    await sendWebhooks(msp)
    const list = async (caller: Msp['user']) =>
      (await api.call(caller, 'webhook_deliveries', { endpoint_id: data.id })).data
    expect(await list(msp.admin)).toHaveLength(3)
    const [seen, ...others] = await list(msp.user)
    expect(others).toEqual([])
    for (const { id: delivery_id } of await list(msp.admin)) {
      const read = await api.call(msp.user, 'webhook_delivery', { delivery_id })
      expect(outcome(read)).toEqual(
        delivery_id === seen.id ? [200, undefined] : [404, 'webhook_delivery_not_found'],
      )
    }
  })
})
