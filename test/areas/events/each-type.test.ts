/** Every type of events: it happens, and is in the feed, on the subscription and by its id. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, expect, it } from 'vitest'
import { TEST_EVENT, typesInFeeds } from '../../../src/areas/events/index.ts'
import { declaredEvents } from '../../../src/schema/events/declare.ts'
import { type Api, apis, published } from '../../setup/api.ts'
import { subscribe } from '../../setup/streams.ts'
import { AREAS, together } from '../../setup/suites/areas.ts'
import { until } from '../../setup/until.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

await published()

const SCENES = together(({ events }) => events)
const TYPES = declaredEvents().filter(({ available }) => available)
const [graphql, rest] = apis as [Api, Api]

const FEED = 'subscription ($types: [String!]) { event_feed(event_types: $types) { id type sequence data } }'

beforeAll(installQueues)

it('is made to happen by the suites of its area, if it is available', () => {
  expect(Object.keys(SCENES).sort(), `test/areas/<area>/suites.ts: ${Object.keys(AREAS)}`).toEqual(
    TYPES.map(({ type }) => type),
  )
})

const callAs =
  (msp: Msp) =>
  async (operation: string, args?: object, caller: Caller = msp.admin) => {
    const answer = await rest.call(caller, operation, args as never)
    expect(answer.error, `${operation}: ${JSON.stringify(answer.error)}`).toBeNull()
    return answer.data
  }

const IN_FEEDS = typesInFeeds().filter(({ available }) => available)

it.each(IN_FEEDS)('$type', async ({ type, severity, data_schema }) => {
  const [msp, other] = await Promise.all([world(), world()])
  const stream = await subscribe(msp.admin, FEED, { variables: { types: [type] } })
  await until(() => stream.begins() !== undefined)
  await SCENES[type]?.({ msp, call: callAs(msp) })

  const feed = await rest.call(msp.admin, 'events', { event_types: [type] })
  const [event] = feed.data
  expect(event, 'the feed has no such event').toMatchObject({
    type,
    severity,
    tenant_id: msp.tenant_id,
    environment: msp.environment,
  })
  const isValid = new Ajv2020({ strict: false }).compile(data_schema)
  for (const { data } of feed.data) {
    expect(isValid(data), JSON.stringify([data, isValid.errors])).toBe(true)
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(20_000)
    expect(Object.keys(data).sort()).toEqual(
      Object.keys((data_schema as { properties: object }).properties).sort(),
    )
  }
  const same = await graphql.call(msp.admin, 'events', { event_types: [type] })
  expect([same.data, same.pagination]).toEqual([feed.data, feed.pagination])
  for (const api of apis) {
    expect((await api.call(msp.admin, 'event', { event_id: event.id })).data).toEqual(event)
    expect((await api.call(other.admin, 'event', { event_id: event.id })).error?.code).toBe('event_not_found')
    const after = await api.call(other.admin, 'events', { after: event.id })
    expect(after.error?.code).toBe('invalid_cursor')
  }

  await stream.reaches(feed.data.length)
  expect(stream.updates().map(({ id }) => id)).toEqual(feed.data.map(({ id }: { id: string }) => id))
  expect(stream.ids().slice(-1)).toEqual(feed.data.slice(-1).map(({ id }: { id: string }) => id))
  expect(stream.updates()[0].data).toEqual(event.data)
  stream.close()
})

it(`${TEST_EVENT} is in no feed and on no subscription, and is found by no id`, async () => {
  const msp = await world()
  const stream = await subscribe(msp.admin, FEED)
  await until(() => stream.begins() !== undefined)
  await SCENES[TEST_EVENT]?.({ msp, call: callAs(msp) })
  const { tenant_id, database } = msp
  const { event_id } = await database.prisma.webhookDelivery.findFirstOrThrow({ where: { tenant_id } })
  for (const api of apis) {
    expect((await api.call(msp.admin, 'events', { event_types: ['*'] })).data).toEqual([])
    expect((await api.call(msp.admin, 'event', { event_id })).error?.code).toBe('event_not_found')
  }
  await callAs(msp)('update_settings', { input: { human_friendly_client_name: 'Another' } })
  await stream.reaches(1)
  expect(stream.updates().map(({ type }) => type)).toEqual(['settings.updated'])
  stream.close()
})
