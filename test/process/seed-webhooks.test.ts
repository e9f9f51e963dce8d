/** The webhooks of the demo: in every state, as the service makes them, and none of them leaves the house. */
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { DEMO_TENANT_ID } from '../../src/access/demo.ts'
import type { Attempt } from '../../src/areas/webhooks/delivery.ts'
import { queueTenant } from '../../src/areas/webhooks/queue.ts'
import { PAUSES } from '../../src/areas/webhooks/rules.ts'
import { placeOf } from '../../src/areas/webhooks/secrets.ts'
import { WebhookDeliveryStatus, WebhookEndpointStatus } from '../../src/db/generated/client/client.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { clock, ENCRYPTION_KEY, type Running, startApp } from '../setup/app.ts'
import { performDue } from '../setup/connected.ts'
import { DEMO, demoDatabase, MORNING } from '../setup/demo.ts'
import { addEvents } from '../setup/events.ts'
import type { Msp } from '../setup/world.ts'

const { environment, demo_api_key } = DEMO
const tenant_id = DEMO_TENANT_ID
const HOUR_MS = 3_600_000

let running: Running
const now = MORNING

beforeAll(async () => {
  clock.set(now)
  const database = await demoDatabase(now)
  running = await startApp(database, { ENVIRONMENT: environment })
})
afterAll(async () => {
  clock.reset()
  await running.app.close(0)
  await running.database.close()
})

const demo = () => ({ tenant_id, environment, database: running.database }) as Msp
const endpoints = () => running.database.prisma.webhookEndpoint.findMany({ orderBy: { id: 'asc' } })
const deliveries = () => running.database.prisma.webhookDelivery.findMany({ orderBy: { id: 'asc' } })
const attemptsOf = (delivery: { attempts: unknown }) => delivery.attempts as Attempt[]

/** Makes the deliveries of new events, and sends what is due. */
async function work(): Promise<void> {
  await queueTenant(running.app.services, { tenant_id, environment })
  await performDue(running.app.services, demo())
}

test('the demo has endpoints in every status, and deliveries in every status, most of which succeeded', async () => {
  const [found, sent] = await Promise.all([endpoints(), deliveries()])
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set(Object.values(WebhookEndpointStatus)))
  const reasons = found.map(({ disabled_reason }) => disabled_reason).filter((reason) => reason !== null)
  expect(reasons.toSorted()).toEqual(['FAILING', 'GONE', 'MANUAL'])
  expect(found.filter(({ owner_user_id }) => owner_user_id === 'usr_user')).toHaveLength(1)
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set(Object.values(WebhookDeliveryStatus)))
  const taken = sent.filter(({ status }) => status === 'SUCCEEDED')
  expect(taken.length).toBeGreaterThan(sent.length * 0.9)
  const box = createSecretBox([ENCRYPTION_KEY])
  const secrets = found.map(({ secret, ...place }) => box.decrypt(secret, placeOf(place)))
  expect(new Set(secrets.filter((secret) => /^whsec_[\w+/]{43}=$/.test(secret))).size).toBe(found.length)
  for (const { url } of found) expect(new URL(url).hostname).toMatch(/\.example$/)
})

test('the deliveries of the demo have the attempts that their status says', async () => {
  const of_endpoint = new Map((await endpoints()).map((endpoint) => [endpoint.id, endpoint]))
  for (const { status, next_attempt_at, delivered_at, tries, ...delivery } of await deliveries()) {
    const attempts = attemptsOf(delivery)
    const endpoint = of_endpoint.get(delivery.endpoint_id)
    expect(attempts).toHaveLength(tries)
    const times = attempts.map(({ at }) => at)
    expect(times).toEqual(times.toSorted())
    const took = attempts.filter(({ status_code }) => [200, 204].includes(status_code ?? 0))
    expect(took).toHaveLength(status === 'SUCCEEDED' ? 1 : 0)
    expect([delivered_at !== null, next_attempt_at !== null]).toEqual([
      status === 'SUCCEEDED',
      status === 'PENDING',
    ])
    if (status === 'EXHAUSTED') expect(tries).toBe(PAUSES.length + 1)
    if (status === 'FAILED') expect(endpoint?.status).toBe('AUTO_DISABLED')
    if (next_attempt_at === null) continue
    expect([tries, endpoint?.status]).toEqual([2, 'ENABLED'])
    expect(next_attempt_at.getTime()).toBeGreaterThan(now.getTime() + 2 * HOUR_MS)
  }
})

test('one delivery of the demo is of a test, whose event the row has', async () => {
  const [test_delivery, ...others] = (await deliveries()).filter(({ test_event }) => test_event !== null)
  expect(others).toEqual([])
  const { event_id, event_type, endpoint_id, test_event } = test_delivery ?? {}
  expect(event_type).toBe('webhook_endpoint.test')
  expect(JSON.parse(test_event ?? '')).toMatchObject({
    id: event_id,
    type: event_type,
    sequence: '0',
    tenant_id,
    data: { endpoint_id },
  })
})

test('nothing leaves the house: what is due is PENDING again, no name is looked up, and nothing connected to', async () => {
  await addEvents(demo(), [{ type: 'execution.failed' }])
  const looked_up = vi.spyOn(dns, 'lookup')
  const emitted = vi.spyOn(net.Socket.prototype, 'emit')
  syncBuiltinESMExports()
  try {
    await work()
    clock.advance(6 * HOUR_MS)
    await work()
    expect(looked_up).not.toHaveBeenCalled()
    const attempts = (emitted.mock.calls as unknown[][]).filter(([event]) => event === 'connectionAttempt')
    expect(attempts.filter(([, ip]) => ip !== '127.0.0.1')).toEqual([])
  } finally {
    looked_up.mockRestore()
    emitted.mockRestore()
    syncBuiltinESMExports()
  }
  const tried = (await deliveries()).filter(({ updated_at }) => updated_at > now)
  const receivers = tried.map(({ endpoint_id }) => endpoint_id)
  expect(receivers.toSorted()).toEqual(['whe_demo_oncall', 'whe_demo_resets'])
  for (const { status, ...delivery } of tried) {
    const { status_code, error } = attemptsOf(delivery).at(-1) ?? {}
    expect([status, status_code, error]).toEqual(['PENDING', null, 'Could not be reached (ENOTFOUND)'])
  }
  expect(await running.database.prisma.webhookEndpoint.count({ where: { status: 'ENABLED' } })).toBe(3)
})

test('a replay of all that an endpoint of the demo gets makes no delivery that the demo has not', async () => {
  for (const { id, created_at, status } of await endpoints()) {
    if (status !== 'ENABLED') continue
    const where = { endpoint_id: id }
    const before = await running.database.prisma.webhookDelivery.findMany({ where })
    const response = await fetch(`${running.base}/public-api/webhook-endpoints/${id}/replay`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo_api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ since: created_at }),
    })
    const { data } = (await response.json()) as { data: { deliveries: number } }
    const waiting = before.filter((delivery) => delivery.status === 'PENDING' || delivery.test_event !== null)
    expect([id, data.deliveries]).toEqual([id, before.length - waiting.length])
    expect(await running.database.prisma.webhookDelivery.count({ where })).toBe(before.length)
  }
})
