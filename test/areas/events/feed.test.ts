/** The feed: its order, its pages, and who sees which events. */
import { describe, expect, it, test } from 'vitest'
import { raisedBy } from '../../../src/db/live/raise.ts'
import { statement } from '../../../src/db/sql.ts'
import { addAgents, share } from '../../setup/agents.ts'
import { type Answer, type Api, apis, describeApi, outcome } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { addEvents } from '../../setup/events.ts'
import { statementsOf } from '../../setup/statements.ts'
import { subscribe } from '../../setup/streams.ts'
import { until } from '../../setup/until.ts'
import { type Caller, days, world } from '../../setup/world.ts'

const FOR_ALL = 'dispatch.suggested'
const OF_AGENT = 'execution.waiting'
const FOR_ADMINS = 'settings.updated'

const feed = (api: Api, caller: Caller, args: object = {}): Promise<Answer> =>
  api.call(caller, 'events', args as never)

const typesIn = ({ data }: Answer): string[] => data.map(({ type }: { type: string }) => type)
const entities = ({ data }: Answer): unknown[] => data.map(({ data: { n } }: { data: { n: unknown } }) => n)

const numbered = (count: number, event: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ type: FOR_ALL, data: { n }, ...event }))

describeApi('the feed', (api) => {
  it('is read page after page, and each page says where the next one begins', async () => {
    const msp = await world()
    await addEvents(msp, numbered(5))
    const first = await feed(api, msp.key, { page_size: 2 })
    expect([entities(first), first.pagination?.has_more]).toEqual([[0, 1], true])
    expect(first.pagination?.next_cursor).toBe(first.data[1].id)
    const second = await feed(api, msp.key, { page_size: 3, after: first.pagination?.next_cursor })
    expect([entities(second), second.pagination]).toEqual([
      [2, 3, 4],
      { next_cursor: second.data[2].id, has_more: false },
    ])
    const none = await feed(api, msp.key, { after: second.pagination?.next_cursor })
    expect([none.data, none.pagination]).toEqual([[], second.pagination])
    await addEvents(msp, [{ type: FOR_ALL, data: { n: 5 } }])
    expect(entities(await feed(api, msp.key, { after: none.pagination?.next_cursor }))).toEqual([5])
    const sequences = [...first.data, ...second.data].map(({ sequence }) => BigInt(sequence))
    expect(sequences).toEqual(sequences.toSorted((one, other) => (one < other ? -1 : 1)))
    expect(new Set(sequences).size).toBe(5)
  })

  it('without an event has a place too, from which a follower goes on', async () => {
    const msp = await world()
    const empty = await feed(api, msp.key)
    expect([empty.data, empty.pagination?.has_more]).toEqual([[], false])
    await addEvents(msp, numbered(1))
    expect(entities(await feed(api, msp.key, { after: empty.pagination?.next_cursor }))).toEqual([0])
  })

  it('narrows by types, by subjects and by everything; a type that there is not is 422', async () => {
    const msp = await world()
    await addEvents(msp, [{ type: FOR_ALL }, { type: 'dispatch.applied' }, { type: 'escalation.opened' }])
    const types = async (...event_types: string[]) => typesIn(await feed(api, msp.key, { event_types }))
    expect(await types(FOR_ALL)).toEqual([FOR_ALL])
    expect(await types('dispatch.*')).toEqual([FOR_ALL, 'dispatch.applied'])
    expect(await types('escalation.opened', 'dispatch.applied')).toEqual([
      'dispatch.applied',
      'escalation.opened',
    ])
    expect(await types('*')).toHaveLength(3)
    expect(await types('feedback.submitted')).toEqual([])
    const refused = await feed(api, msp.key, { event_types: ['dispatch.*', 'nothing.happened', 'dispatch'] })
    expect(outcome(refused)).toEqual([422, 'request_validation_failed'])
    expect(refused.error?.details.field_errors).toMatchObject([
      { field: 'event_types', code: 'unknown', message: expect.stringContaining('nothing.happened') },
      { field: 'event_types', code: 'unknown' },
    ])
  })

  it('refuses an `after` that is unknown, too old, or of another tenant', async () => {
    const [msp, other] = await Promise.all([world(), world()])
    await Promise.all([msp, other].map((tenant) => addEvents(tenant, numbered(2))))
    const [{ id: foreign }] = (await feed(api, other.key)).data
    const [{ id: old }] = (await feed(api, msp.key)).data
    const { prisma } = msp.database
    await prisma.liveEvent.updateMany({
      where: { tenant_id: msp.tenant_id, event_id: old },
      data: { at: new Date(Date.now() - days(31)) },
    })
    for (const after of [foreign, old, 'evt_nothing', 'x', '', '\u0000', 'ü'.repeat(300)])
      expect(outcome(await feed(api, msp.key, { after }))).toEqual([400, 'invalid_cursor'])
    expect(outcome(await api.call(msp.key, 'event', { event_id: old }))).toEqual([404, 'event_not_found'])
    expect(entities(await feed(api, msp.key))).toEqual([1])
  })

  it('goes past a stretch of events of others in bounded pages, none of which it hides the end of', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    for (let lot = 0; lot < 6; lot++) await addEvents(msp, numbered(1_000, { type: OF_AGENT, agent_id: 1 }))
    await addEvents(msp, [{ type: FOR_ALL, data: { n: 'last' } }])
    const first = await feed(api, msp.user)
    expect([first.data, first.pagination?.has_more]).toEqual([[], true])
    const second = await feed(api, msp.user, { after: first.pagination?.next_cursor })
    expect([entities(second), second.pagination?.has_more]).toEqual([['last'], false])
  })

  it('costs the same statements however many events a page has', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addEvents(msp, [{ type: OF_AGENT, agent_id: 1 }, { type: FOR_ADMINS }, ...numbered(120)])
    const count = async (page_size: number) =>
      (await statementsOf(msp.database, () => feed(api, msp.user, { page_size }), /live_event/)).length
    expect([await count(1), await count(100)]).toEqual([2, 2])
  })

  it('shows events of an agent to those who see the agent, from the moment on that they do', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2, created_by_user_id: msp.user.id }])
    await addEvents(msp, [
      { type: OF_AGENT, agent_id: 1, data: { n: 1 } },
      { type: OF_AGENT, agent_id: 2, data: { n: 2 } },
    ])
    const key = await msp.newKey({ acting_user_id: msp.user.id })
    const seen = async (caller: Caller) => entities(await feed(api, caller))
    expect([await seen(msp.user), await seen(key)]).toEqual([[2], [2]])
    expect([await seen(msp.admin), await seen(msp.key), await seen(msp.viewer)]).toEqual([[1, 2], [1, 2], []])
    const [{ id }] = (await feed(api, msp.admin)).data
    expect(outcome(await api.call(key, 'event', { event_id: id }))).toEqual([404, 'event_not_found'])
    // An event that the caller does not see is a good place to go on from.
    expect(entities(await feed(api, key, { after: id }))).toEqual([2])
    await share(msp, 1, msp.user.id)
    expect(await seen(key)).toEqual([1, 2])
    expect((await api.call(key, 'event', { event_id: id })).data.id).toBe(id)
    await msp.database.prisma.agentShare.deleteMany({ where: { tenant_id: msp.tenant_id } })
    expect(await seen(key)).toEqual([2])
  })

  it('shows events of settings to administrators of today alone, and to the keys that they made', async () => {
    const msp = await world()
    await addEvents(msp, [{ type: FOR_ADMINS, data: { n: 1 } }])
    const sees = async (caller: Caller) => (await feed(api, caller)).data.length === 1
    const of_admin = await msp.newKey({ created_by_user_id: msp.admin.id })
    const of_user = await msp.newKey({ created_by_user_id: msp.user.id })
    const for_user = await msp.newKey({ created_by_user_id: msp.admin.id, acting_user_id: msp.user.id })
    const for_admin = await msp.newKey({ created_by_user_id: msp.admin.id, acting_user_id: msp.admin.id })
    const callers = [
      msp.owner,
      msp.admin,
      of_admin,
      for_admin,
      msp.user,
      msp.viewer,
      of_user,
      for_user,
      msp.key,
    ]
    const before = [true, true, true, true, false, false, false, false, true]
    expect(await Promise.all(callers.map(sees))).toEqual(before)
    await msp.database.prisma.tenantUser.updateMany({
      where: { tenant_id: msp.tenant_id, id: msp.admin.id },
      data: { role: 'USER' },
    })
    expect(await Promise.all([msp.owner, msp.admin, of_admin, for_admin].map(sees))).toEqual([
      true,
      false,
      false,
      false,
    ])
  })
})

describe('the relay', () => {
  test('gives every event one place, also if it works many times at once', async () => {
    const msp = await world()
    const { database, tenant_id, environment } = msp
    const raise = statement('test.raise_alone', raisedBy('$3'))
    const event = JSON.stringify([{ type: FOR_ALL, entity_id: 'x', agent_id: null, data: {} }])
    const take_over = statement('test.take_over_alone', 'select take_over_events($1, $2)')
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        await database.sql.rows(raise, [tenant_id, environment, event])
        await database.sql.rows(take_over, [tenant_id, environment])
      }),
    )
    const rows = await database.prisma.liveEvent.findMany({ where: { tenant_id } })
    const places = rows.map(({ sequence }) => Number(sequence)).sort((one, other) => one - other)
    expect(places).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
  })

  test.skipIf(!process.env.DATABASE_URL)(
    'puts an event of a transaction that commits later after what a follower has read',
    async () => {
      const msp = await world()
      await testApp()
      const [, rest] = apis as [Api, Api]
      const raise = (n: number) =>
        JSON.stringify([{ type: FOR_ALL, entity_id: 'x', agent_id: null, data: { n } }])
      const statement_of = statement('test.raise_late', raisedBy('$3'))
      const own = [msp.tenant_id, msp.environment]
      const commit = Promise.withResolvers<void>()
      const written = Promise.withResolvers<void>()
      const late = msp.database.transaction(30_000, async (connection) => {
        await connection.rows(statement_of, [...own, raise(1)])
        written.resolve()
        await commit.promise
      })
      await written.promise
      await msp.database.sql.rows(statement_of, [...own, raise(2)])
      const first = await feed(rest, msp.key)
      expect(entities(first)).toEqual([2])
      commit.resolve()
      await late
      const second = await feed(rest, msp.key, { after: first.pagination?.next_cursor })
      expect(entities(second)).toEqual([1])
      expect(entities(await feed(rest, msp.key))).toEqual([2, 1])
    },
  )
})

describe('a stream of the feed', () => {
  const FEED = 'subscription ($after: ID) { event_feed(after: $after) { id data } }'

  it('shows a restricted user the events of agents that they see, from the moment on that they do', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2, created_by_user_id: msp.user.id }])
    const key = await msp.newKey({ acting_user_id: msp.user.id })
    const stream = await subscribe(key, FEED)
    await until(() => stream.begins() !== undefined)
    const happens = (agent_id: number, n: number) =>
      addEvents(msp, [{ type: OF_AGENT, agent_id, data: { n } }])
    await happens(1, 1)
    await happens(2, 2)
    await stream.reaches(1)
    await share(msp, 1, msp.user.id)
    await happens(1, 3)
    await stream.reaches(2)
    await msp.database.prisma.agentShare.deleteMany({ where: { tenant_id: msp.tenant_id } })
    await happens(1, 4)
    await happens(2, 5)
    await stream.reaches(3)
    expect(stream.updates().map(({ data }) => data.n)).toEqual([2, 3, 5])
    stream.close()
  })

  it('takes away what a slow client has yet to take, if its sight changes meanwhile', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await share(msp, 1, msp.user.id)
    const big = 'x'.repeat(15_000)
    await addEvents(
      msp,
      Array.from({ length: 400 }, (_, n) => ({ type: OF_AGENT, agent_id: 1, data: { n, big } })),
    )
    const start = Promise.withResolvers<void>()
    const after = `evt_${'0'.repeat(32)}`
    const stream = await subscribe(msp.user, FEED, { variables: { after }, read_from: start.promise })
    // The server goes on until the connection takes no more.
    await new Promise((done) => setTimeout(done, 3_000))
    await msp.database.prisma.agentShare.deleteMany({ where: { tenant_id: msp.tenant_id } })
    start.resolve()
    await addEvents(msp, [{ type: FOR_ALL, data: { n: 'end' } }])
    await until(() => stream.updates().at(-1)?.data.n === 'end')
    expect(stream.updates().length).toBeLessThan(400)
    stream.close()
  })

  it('refuses to begin after an unknown event', async () => {
    const msp = await world()
    const stream = await subscribe(msp.key, FEED, { variables: { after: 'evt_nothing' } })
    expect(stream.code()).toBe('invalid_cursor')
  })
})
