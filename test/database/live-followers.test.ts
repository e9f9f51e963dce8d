/** Commits notify if somebody follows, and nobody who follows misses one that did not. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ChangeFeed, createChangeFeed } from '../../src/db/live/change-feed.ts'
import { keepFollowers, RENEW_MS } from '../../src/db/live/followers.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { testDatabase } from '../setup/database.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'

const database = await testDatabase()
const server = 'url' in database.source ? database.source.url : null

/** Nothing is found by the regular look. */
const NEVER_MS = 3_600_000

async function withAgent(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  return msp
}

const addExecution = (msp: Msp, execution_id: string) =>
  addExecutions(msp, [{ execution_id, agent_id: 1, status: 'NEW' }])

function following(look_ms = NEVER_MS): ChangeFeed {
  const changes = createChangeFeed(database, look_ms)
  onTestFinished(() => changes.close())
  return changes
}

async function follow(changes: ChangeFeed, msp: Msp): Promise<{ told: string[]; leave: () => void }> {
  const told: string[] = []
  const leave = await changes.follow(msp, ({ events }) =>
    told.push(...events.map(({ entity_id }) => entity_id)),
  )
  return { told, leave }
}

const rowsOf = ({ tenant_id }: Msp) => database.prisma.liveFollower.findMany({ where: { tenant_id } })

const expire = ({ tenant_id }: Msp) =>
  database.prisma.liveFollower.updateMany({ where: { tenant_id }, data: { expires_at: new Date(0) } })

/** The tenants that notifications are about, in the order of their commits. */
async function notifiedTenants(): Promise<string[]> {
  const tenants: string[] = []
  let listens = false
  const stop = database.listen('live_event', {
    connected: () => {
      listens = true
    },
    notified: (payload) => tenants.push(JSON.parse(payload)[0]),
  })
  onTestFinished(stop)
  await until(() => listens)
  return tenants
}

/** Adds an execution to a tenant that is followed, and waits for its notification: none from before is under way. */
async function passed(tenants: string[]): Promise<void> {
  const msp = await withAgent()
  await follow(following(), msp)
  await addExecution(msp, 'last')
  await until(() => tenants.includes(msp.tenant_id))
}

describe('a commit', () => {
  it('notifies while somebody follows its tenant and environment, and otherwise not', async () => {
    const tenants = await notifiedTenants()
    const [followed, left, nobodys] = [await withAgent(), await withAgent(), await withAgent()]
    await follow(following(), followed)
    const { leave } = await follow(following(), left)
    leave()
    await until(async () => (await rowsOf(left)).length === 0)
    const elsewhere = { ...nobodys, environment: 'other' }
    await follow(following(), elsewhere)
    for (const msp of [nobodys, left, followed]) await addExecution(msp, 'e')
    await passed(tenants)
    const about = ({ tenant_id }: Msp) => tenants.filter((tenant) => tenant === tenant_id).length
    expect([nobodys, left, followed].map(about)).toEqual([0, 0, 1])
  })

  it('does not notify a process that was lost', async () => {
    const tenants = await notifiedTenants()
    const [lost, alive] = [await withAgent(), await withAgent()]
    for (const { tenant_id, environment } of [lost, alive])
      await keepFollowers(database.sql, [{ tenant_id, environment, id: 'flw_process' }])
    await expire(lost)
    for (const msp of [lost, alive]) await addExecution(msp, 'e')
    await passed(tenants)
    expect([tenants.includes(lost.tenant_id), tenants.includes(alive.tenant_id)]).toEqual([false, true])
  })
})

describe('a process', () => {
  it('keeps its row until the last of its followers leaves', async () => {
    const msp = await withAgent()
    const changes = following()
    const [first, second] = [await follow(changes, msp), await follow(changes, msp)]
    expect(await rowsOf(msp)).toHaveLength(1)
    first.leave()
    await addExecution(msp, 'e')
    await until(() => second.told.length > 0)
    expect([first.told, second.told]).toEqual([[], ['e']])
    second.leave()
    await until(async () => (await rowsOf(msp)).length === 0)
  })

  it('that comes back at once is told', async () => {
    const msp = await withAgent()
    const changes = following()
    for (let n = 0; n < 5; n++) (await follow(changes, msp)).leave()
    const { told } = await follow(changes, msp)
    await addExecution(msp, 'e')
    await until(() => told.length > 0)
    await until(async () => (await rowsOf(msp)).length === 1)
  })

  it('is told while another one leaves, and leaves nothing when it closes', async () => {
    const msp = await withAgent()
    const [one, other] = [following(), following()]
    await follow(one, msp)
    const { told } = await follow(other, msp)
    expect(await rowsOf(msp)).toHaveLength(2)
    await one.close()
    expect(await rowsOf(msp)).toHaveLength(1)
    await addExecution(msp, 'e')
    await until(() => told.length > 0)
    await other.close()
    expect(await rowsOf(msp)).toEqual([])
  })

  it('renews its row for as long as it follows', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const msp = await withAgent()
    const { told } = await follow(following(), msp)
    // The first connection of the listener renews it too.
    await addExecution(msp, 'e')
    await until(() => told.length > 0)
    await expire(msp)
    vi.advanceTimersByTime(RENEW_MS)
    await until(async () => (await rowsOf(msp)).every(({ expires_at }) => expires_at > new Date()))
  })

  it('leaves no row if the last follower leaves while the row is renewed', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const msp = await withAgent()
    const { told, leave } = await follow(following(), msp)
    // The first connection of the listener renews the row too.
    await addExecution(msp, 'e')
    await until(() => told.length > 0)
    const { rows } = database.sql
    const { promise: left, resolve: goOn } = Promise.withResolvers<void>()
    const renewals: Promise<unknown>[] = []
    const spy = vi.spyOn(database.sql, 'rows').mockImplementation((statement, ...given) => {
      if (statement.name !== 'live_followers.keep') return rows(statement, ...given)
      const renewal = left.then(() => rows(statement, ...given))
      renewals.push(renewal)
      return renewal as never
    })
    onTestFinished(() => spy.mockRestore())
    vi.advanceTimersByTime(RENEW_MS)
    expect(renewals).toHaveLength(1)
    leave()
    await sleep(100)
    goOn()
    await Promise.all(renewals)
    await until(async () => (await rowsOf(msp)).length === 0)
  })
})

describe.runIf(server !== null)('transactions that changed something before the row was there', () => {
  it('are told once they commit, without a notification', async () => {
    const tenants = await notifiedTenants()
    const [msp, other] = [await withAgent(), await withAgent()]
    const changes = following()
    const { told: ready } = await follow(changes, other)
    await addExecution(other, 'ready')
    await until(() => ready.length > 0)

    const client = new pg.Client({ connectionString: String(server) })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('begin')
    await client.query(
      `insert into execution (tenant_id, environment, execution_id, agent_id, trigger, entity_type, created_at, updated_at)
       values ($1, $2, 'late', 1, 'RUN_NOW', 'TICKET', now(), now())`,
      [msp.tenant_id, msp.environment],
    )
    const { told } = await follow(changes, msp)
    await addExecution(msp, 'early')
    await until(() => told.includes('early'))
    await client.query('commit')
    await until(() => told.includes('late'), 3_000)
    await passed(tenants)
    expect(tenants.filter((tenant) => tenant === msp.tenant_id)).toHaveLength(1)
    expect(told).toEqual(['early', 'late'])
  })
})
