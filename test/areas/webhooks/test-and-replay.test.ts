/** The test of an endpoint, the rotation of its secret, and the replay of events. */
import { expect, it } from 'vitest'
import { outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addEvents } from '../../setup/events.ts'
import {
  deliveriesOf,
  describeWebhooks,
  type Got,
  isSignedBy,
  sendWebhooks,
  startReceiver,
  subscribeTo,
} from '../../setup/webhooks.ts'
import { days, world } from '../../setup/world.ts'

const HOUR = 3_600_000

const numbersIn = (got: readonly Got[]): number[] => got.map(({ body }) => JSON.parse(body).data.n)

describeWebhooks('an endpoint', (api) => {
  it('is tested by one event of its own, also if it is off, and never again', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    const { data } = await subscribeTo(api, msp.admin, receiver, { event_types: ['execution.failed'] })
    const endpoint_id = data.id
    await api.call(msp.admin, 'update_webhook_endpoint', { endpoint_id, input: { status: 'DISABLED' } })
    const taken = await api.call(msp.admin, 'test_webhook_endpoint', { endpoint_id })
    expect(taken.data).toMatchObject({
      endpoint_id,
      event_type: 'webhook_endpoint.test',
      status: 'SUCCEEDED',
      attempts: [{ status_code: 204 }],
    })
    receiver.answers(500)
    const refused = await api.call(msp.admin, 'test_webhook_endpoint', { endpoint_id })
    expect(refused.data).toMatchObject({
      status: 'FAILED',
      next_attempt_at: null,
      attempts: [{ status_code: 500 }],
    })
    const [got] = receiver.got
    expect(got && isSignedBy(data.secret, got)).toBe(true)
    expect(JSON.parse(got?.body ?? '')).toMatchObject({
      id: taken.data.event_id,
      type: 'webhook_endpoint.test',
      severity: 'INFO',
      tenant_id: msp.tenant_id,
      data: { endpoint_id },
    })
    const event = await api.call(msp.admin, 'event', { event_id: taken.data.event_id })
    expect(outcome(event)).toEqual([404, 'event_not_found'])
    expect((await api.call(msp.admin, 'events')).data).toEqual([])
    const listed = await api.call(msp.viewer, 'webhook_deliveries', { endpoint_id })
    expect(listed.data).toEqual([refused.data, taken.data])
    clock.advance(days(1))
    await sendWebhooks(msp)
    expect(receiver.got).toHaveLength(2)
    const endpoint = await api.call(msp.admin, 'webhook_endpoint', { endpoint_id })
    expect(endpoint.data).toMatchObject({ status: 'DISABLED', failing_since: null })
  })

  it('is tested by another event each time, also under one request id', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    const { id: endpoint_id } = (await subscribeTo(api, msp.admin, receiver)).data
    const headers = { 'x-request-id': 'the-same' }
    for (let n = 0; n < 2; n++) await api.call(msp.admin, 'test_webhook_endpoint', { endpoint_id }, headers)
    expect(new Set(receiver.got.map((got) => got.headers['webhook-id'])).size).toBe(2)
    expect(await deliveriesOf(msp)).toHaveLength(2)
  })

  it('is signed by two secrets for 24 hours after a rotation, and never by three', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    const created = await subscribeTo(api, msp.admin, receiver)
    const endpoint_id = created.data.id
    const rotate = async (input?: object) => {
      const answer = await api.call(msp.admin, 'rotate_webhook_endpoint_secret', {
        endpoint_id,
        ...(input && { input }),
      })
      return answer.data.secret as string
    }
    const secrets = [created.data.secret as string, await rotate(), await rotate()]
    const signed = async () => {
      await api.call(msp.admin, 'test_webhook_endpoint', { endpoint_id })
      const got = receiver.got.at(-1) as Got
      expect(String(got.headers['webhook-signature']).split(' ').length).toBeLessThan(3)
      return secrets.map((secret) => isSignedBy(secret, got))
    }
    expect(new Set(secrets).size).toBe(3)
    expect(await signed()).toEqual([false, true, true])
    clock.advance(24 * HOUR - 60_000)
    const [{ headers }] = receiver.got as [Got]
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/)
    await api.call(msp.admin, 'test_webhook_endpoint', { endpoint_id })
    expect(String(receiver.got.at(-1)?.headers['webhook-signature']).split(' ')).toHaveLength(2)
    clock.advance(120_000)
    await api.call(msp.admin, 'test_webhook_endpoint', { endpoint_id })
    expect(String(receiver.got.at(-1)?.headers['webhook-signature']).split(' ')).toHaveLength(1)
    clock.reset()
    secrets.push(await rotate({ expire_previous_now: true }))
    expect(await signed()).toEqual([false, false, false, true])
    const again = await api.call(msp.admin, 'webhook_endpoint', { endpoint_id })
    expect(again.data).not.toHaveProperty('secret')
  })

  it('gets the events of a time again: those that it missed, and those that it had', async () => {
    const msp = await world()
    const [receiver, other] = await Promise.all([startReceiver(), startReceiver()])
    await addEvents(msp, [{ type: 'dispatch.suggested', data: { n: 0 } }])
    const { id: endpoint_id } = (await subscribeTo(api, msp.admin, receiver, { event_types: ['dispatch.*'] }))
      .data
    await subscribeTo(api, msp.admin, other)
    await addEvents(msp, [
      { type: 'dispatch.suggested', data: { n: 1 } },
      { type: 'dispatch.applied', data: { n: 2 } },
      { type: 'escalation.opened', data: { n: 3 } },
    ])
    await sendWebhooks(msp)
    receiver.got.length = 0
    other.got.length = 0
    const replay = (input: object) => api.call(msp.admin, 'replay_webhook_endpoint', { endpoint_id, input })
    const since = new Date(clock.now().getTime() - HOUR)
    const some = await replay({ since, event_types: ['dispatch.suggested', 'escalation.*'] })
    expect([some.data, some.warnings]).toEqual([{ deliveries: 2 }, []])
    await sendWebhooks(msp)
    expect(numbersIn(receiver.got).sort()).toEqual([0, 1])
    const all = await replay({ since: new Date(clock.now().getTime() - days(90)) })
    expect(all.data).toEqual({ deliveries: 3 })
    expect(all.warnings).toEqual([expect.stringMatching(/^since_moved_up: /)])
    await sendWebhooks(msp)
    expect(numbersIn(receiver.got).sort()).toEqual([0, 0, 1, 1, 2])
    expect(other.got).toEqual([])
    const events = (await api.call(msp.admin, 'events')).data as { id: string }[]
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set(events.slice(0, 3).map(({ id }) => id)),
    )
    const earlier = await replay({ since: new Date(since.getTime() - HOUR), until: since })
    expect(earlier.data).toEqual({ deliveries: 0 })
    expect(outcome(await replay({ since, until: since }))).toEqual([422, 'request_validation_failed'])
    expect(outcome(await replay({ since, event_types: ['no.type'] }))).toEqual([
      422,
      'request_validation_failed',
    ])
    await api.call(msp.admin, 'update_webhook_endpoint', { endpoint_id, input: { status: 'DISABLED' } })
    const off = await replay({ since })
    expect(outcome(off)).toEqual([409, 'webhook_endpoint_disabled'])
    expect(off.error?.details).toMatchObject({ status: 'DISABLED' })
    const [first] = await deliveriesOf(msp)
    const resent = await api.call(msp.admin, 'resend_webhook_delivery', { delivery_id: first?.id })
    expect(outcome(resent)).toEqual(
      first?.endpoint_id === endpoint_id ? [409, 'webhook_endpoint_disabled'] : [200, undefined],
    )
  })
})
