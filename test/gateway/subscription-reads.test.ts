/** The reads behind updates are shared and paid for. If one fails, no update is passed over. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { startApp } from '../setup/app.ts'
import { failuresIn, overheard } from '../setup/log.ts'
import { subscribe } from '../setup/streams.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'

const UPDATES = `subscription ($after: Cursor) {
  execution_updates(after: $after) { id execution { execution_id } }
}`

const READ = /^execution /
const LOOKUP = /^api_keys?_by_hash/

interface Shown {
  id: string
  execution: { execution_id: string }
}

const add = (msp: Msp, execution_id: string) =>
  addExecutions(msp, [{ execution_id, agent_id: 1, status: 'NEW' }])

/** A tenant with an agent, on a service whose statements are listed, and fail while `fails` says so. */
async function observed(overrides: Record<string, string> = {}) {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  const sent: string[] = []
  const service = { fails: false }
  const { database } = msp
  const lost = () => Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }))
  const sql: Database['sql'] = {
    rows(statement, values) {
      sent.push(statement.name)
      return service.fails && READ.test(statement.name) ? lost() : database.sql.rows(statement, values)
    },
  }
  const { app, base } = await startApp({ ...database, sql }, overrides)
  onTestFinished(() => app.close(0))
  const count = (pattern: RegExp) => sent.filter((name) => pattern.test(name)).length
  return { msp, base, service, sent, count }
}

describe('an update that cannot be read', () => {
  it('ends the stream before it, and is the first that comes after the last one', async () => {
    const { msp, base, service } = await observed()
    const stream = await subscribe(msp.key, UPDATES, { base })
    await add(msp, 'read')
    await stream.reaches(1)
    service.fails = true
    await add(msp, 'unread')
    await stream.ended
    const [last] = stream.ids()
    expect([stream.ids().length, stream.code(), stream.isComplete()]).toEqual([
      1,
      'service_unavailable',
      false,
    ])
    service.fails = false
    const again = await subscribe(msp.key, UPDATES, { base, variables: { after: last } })
    await again.reaches(1)
    expect(again.updates()[0].execution.execution_id).toBe('unread')
  })

  it('ends a stream that has had none with a position to begin from', async () => {
    const { msp, base, service } = await observed()
    const stream = await subscribe(msp.key, UPDATES, { base })
    service.fails = true
    await add(msp, 'unread')
    await stream.ended
    service.fails = false
    expect([stream.code(), stream.isComplete()]).toEqual(['service_unavailable', false])
    const headers = { 'last-event-id': stream.begins() ?? '' }
    const again = await subscribe(msp.key, UPDATES, { base, headers })
    await again.reaches(1)
    expect([stream.updates(), again.updates()[0].execution.execution_id]).toEqual([[], 'unread'])
  })
})

describe('subscribers who see and select the same', () => {
  it('share one read and each their credential’s check, and each has ids of its own', async () => {
    const { msp, base, sent, count } = await observed()
    const other = await msp.newKey()
    const streams = await Promise.all(
      [msp.key, msp.key, msp.key, other, other].map((key) => subscribe(key, UPDATES, { base })),
    )
    sent.length = 0
    await add(msp, 'e')
    await Promise.all(streams.map((stream) => stream.reaches(1)))
    expect([count(READ), count(LOOKUP)]).toEqual([1, 1])
    for (const stream of streams) {
      const [{ id, execution }] = stream.updates() as [Shown]
      expect([id, execution.execution_id]).toEqual([stream.ids()[0], 'e'])
      const again = await subscribe(msp.key, UPDATES, { base, variables: { after: id } })
      expect(again.status).toBe(200)
    }
  })

  it('who see something else, or select something else, have a read of their own', async () => {
    const { msp, base, sent, count } = await observed()
    const status = UPDATES.replace('execution_id', 'status')
    const readOnly = await msp.newKey({ scopes: ['executions:read'] })
    const streams = await Promise.all([
      subscribe(msp.key, UPDATES, { base }),
      subscribe(msp.key, status, { base }),
      subscribe(msp.admin, UPDATES, { base }),
      subscribe(readOnly, UPDATES, { base }),
    ])
    sent.length = 0
    await add(msp, 'e')
    await Promise.all(streams.map((stream) => stream.reaches(1)))
    expect(count(READ)).toBe(4)
  })
})

describe('updates', () => {
  it('are paid for from the caller’s points; a stream ends if those are used up, and loses none', async () => {
    const { msp, base } = await observed({ LIMITS: 'graphql_points=20' })
    const stream = await subscribe(msp.key, UPDATES, { base })
    const ids = Array.from({ length: 40 }, (_, n) => `e${n}`)
    for (const id of ids) await add(msp, id)
    await stream.ended
    expect([stream.code(), stream.isComplete()]).toEqual(['rate_limited', false])
    expect(stream.updates().length).toBeLessThan(ids.length)
    const other = await msp.newKey()
    const rest = await subscribe(other, UPDATES, { base, variables: { after: stream.ids().at(-1) } })
    await until(() => rest.updates().length > 0)
    const [next] = rest.updates() as [Shown]
    expect(next.execution.execution_id).toBe(ids[stream.updates().length])
  })
})

describe('a process that stops', () => {
  it('opens no more streams, and goes on with those that are open until the delay is over', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const { app, base, lines } = await overheard(msp.database)
    const open = await subscribe(msp.key, UPDATES, { base })
    const closed = app.close(20_000, 10_000)
    const refused = await subscribe(msp.key, UPDATES, { base })
    expect([refused.status, refused.code(), refused.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '1',
    ])
    await add(msp, 'e')
    await open.reaches(1)
    await Promise.all([open.ended, closed])
    expect([open.code(), open.isComplete()]).toEqual(['service_unavailable', false])
    expect(failuresIn(lines())).toEqual([])
  })
})
