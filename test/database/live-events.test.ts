/** The events of changed rows: each is read exactly once, in whatever order transactions commit. */
import fc from 'fast-check'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DatabaseContext } from '../../src/db/db.ts'
import { createChangeFeed } from '../../src/db/live/change-feed.ts'
import {
  currentPosition,
  type LiveEvent,
  type LivePosition,
  readLiveEvents,
} from '../../src/db/live/events.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { testDatabase } from '../setup/database.ts'
import { addTilRequests } from '../setup/til-requests.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'

const database = await testDatabase()
const server = 'url' in database.source ? database.source.url : null

const contextOf = ({ tenant_id, environment }: Msp): DatabaseContext => ({
  viewer: { tenant_id, environment },
  services: { database },
  transaction: null,
  db_time: new Stopwatch(),
})

async function withAgent(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  return msp
}

const start = async (ctx: DatabaseContext): Promise<LivePosition> => ({
  seen: (await currentPosition(ctx)).seen,
})

const short = ({ kind, entity_id }: LiveEvent) => `${kind} ${entity_id}`

const newExecution = (execution_id: string) => ({
  execution_id,
  agent_id: 1,
  status: 'NEW' as const,
})

describe('an event', () => {
  const change = (msp: Msp, data: object) =>
    database.prisma.execution.updateMany({ where: { tenant_id: msp.tenant_id, execution_id: 'e' }, data })

  async function eventsOf(msp: Msp, work: () => Promise<unknown>): Promise<string[]> {
    const ctx = contextOf(msp)
    const before = await start(ctx)
    await work()
    return (await readLiveEvents(ctx, before)).events.map(short).sort()
  }

  it('is written for what a dashboard shows of an execution, once per transaction', async () => {
    const msp = await withAgent()
    expect(await eventsOf(msp, () => addExecutions(msp, [newExecution('e')]))).toEqual(['EXECUTION e'])
    for (const data of [
      { status: 'RUNNING' },
      { run_count: 1 },
      { message_for_dashboard: 'Under way.' },
      { supervised: true },
      { resolution: 'PARTIAL' },
      { error: 'It broke.' },
    ])
      expect([data, await eventsOf(msp, () => change(msp, data))]).toEqual([data, ['EXECUTION e']])
    const twice = () =>
      database.prisma.$transaction([
        database.prisma.execution.updateMany({ where: { tenant_id: msp.tenant_id }, data: { run_count: 2 } }),
        database.prisma.execution.updateMany({ where: { tenant_id: msp.tenant_id }, data: { run_count: 3 } }),
      ])
    expect(await eventsOf(msp, twice)).toEqual(['EXECUTION e'])
  })

  it('is not written for counters alone, nor for a change that changes nothing', async () => {
    const msp = await withAgent()
    await addExecutions(msp, [newExecution('e')])
    for (const data of [
      { seconds_spent: 3 },
      { credits_consumed: 1 },
      { updated_at: new Date() },
      { status: 'NEW' },
    ])
      expect([data, await eventsOf(msp, () => change(msp, data))]).toEqual([data, []])
  })

  it('is written for a request, and for the execution whose pending requests it changes', async () => {
    const msp = await withAgent()
    await addExecutions(msp, [newExecution('e')])
    const request = { id: 'r', agent_id: 1, execution_id: 'e' }
    expect(await eventsOf(msp, () => addTilRequests(msp, [request]))).toEqual([
      'EXECUTION e',
      'TIL_REQUEST r',
    ])
    const decide = (data: object) => () =>
      database.prisma.tilRequest.updateMany({ where: { tenant_id: msp.tenant_id, id: 'r' }, data })
    expect(await eventsOf(msp, decide({ expires_at: new Date() }))).toEqual(['TIL_REQUEST r'])
    expect(await eventsOf(msp, decide({ status: 'APPROVED', closed_at: new Date() }))).toEqual([
      'EXECUTION e',
      'TIL_REQUEST r',
    ])
    expect(await eventsOf(msp, decide({ status: 'APPROVED' }))).toEqual([])
    const call = { id: 'of_api', kind: 'API_REQUEST' as const, requested_by_type: 'USER' as const }
    expect(await eventsOf(msp, () => addTilRequests(msp, [call]))).toEqual(['TIL_REQUEST of_api'])
  })

  it('is of its own tenant', async () => {
    const [msp, other] = [await withAgent(), await withAgent()]
    expect(await eventsOf(other, () => addExecutions(msp, [newExecution('e')]))).toEqual([])
  })

  it('is read in pages if there are many, each exactly once', async () => {
    const msp = await withAgent()
    const ctx = contextOf(msp)
    let position = await start(ctx)
    const ids = Array.from({ length: 1100 }, (_, n) => `e${n}`)
    await addExecutions(
      msp,
      ids.map((id) => newExecution(id)),
    )
    const sizes: number[] = []
    const found: string[] = []
    do {
      const batch = await readLiveEvents(ctx, position)
      position = batch.position
      sizes.push(batch.events.length)
      found.push(...batch.events.map(({ entity_id }) => entity_id))
    } while (position.within)
    expect(sizes).toEqual([500, 500, 100])
    expect(found.sort()).toEqual(ids.sort())
    expect((await readLiveEvents(ctx, position)).events).toEqual([])
  })
})

describe.runIf(server !== null)('transactions at once', () => {
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: String(server) })
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  const insert = (client: pg.Client, msp: Msp, id: string) =>
    client.query(
      `insert into execution (tenant_id, environment, execution_id, agent_id, trigger, entity_type, created_at, updated_at)
       values ($1, $2, $3, 1, 'RUN_NOW', 'TICKET', now(), now())`,
      [msp.tenant_id, msp.environment, id],
    )

  it('lose no event of one that commits after a later one was read, and wait for none', async () => {
    const msp = await withAgent()
    const ctx = contextOf(msp)
    const [late, early] = [await connect(), await connect()]
    let position = await start(ctx)
    const read = async (): Promise<string[]> => {
      const batch = await readLiveEvents(ctx, position)
      position = batch.position
      return batch.events.map(({ entity_id }) => entity_id)
    }
    await late.query('begin')
    await insert(late, msp, 'late')
    await insert(early, msp, 'early')
    expect(await read()).toEqual(['early'])
    expect(await read()).toEqual([])
    await late.query('commit')
    expect(await read()).toEqual(['late'])
    expect(await read()).toEqual([])
  })

  it('are read exactly once each, however they and the reads interleave', { timeout: 180_000 }, async () => {
    const clients = [await connect(), await connect(), await connect(), await connect()]
    const step = fc.record({
      client: fc.nat({ max: 3 }),
      act: fc.constantFrom('write' as const, 'write' as const, 'commit' as const, 'rollback' as const),
      read: fc.constantFrom(null, null, 0, 1),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const msp = await withAgent()
        const ctx = contextOf(msp)
        const origin = await start(ctx)
        const readers = [0, 1].map(() => ({ position: origin, found: [] as string[] }))
        const open = clients.map(() => null as string[] | null)
        const committed: string[] = []
        let next = 0
        const read = async (reader: (typeof readers)[number] | undefined) => {
          if (!reader) return
          const batch = await readLiveEvents(ctx, reader.position)
          reader.position = batch.position
          reader.found.push(...batch.events.map(({ entity_id }) => entity_id))
        }
        const end = async (n: number, how: 'commit' | 'rollback') => {
          const written = open[n]
          if (!written) return
          await clients[n]?.query(how)
          if (how === 'commit') committed.push(...written)
          open[n] = null
        }
        for (const { client: n, act, read: reader } of steps) {
          const client = clients[n] as pg.Client
          if (act !== 'write') await end(n, act)
          else {
            if (!open[n]) await client.query('begin')
            const id = `e${next++}`
            open[n] = [...(open[n] ?? []), id]
            await insert(client, msp, id)
          }
          if (reader !== null) await read(readers[reader])
        }
        for (const n of clients.keys()) await end(n, 'commit')
        for (const reader of readers) {
          await read(reader)
          expect(reader.found.toSorted()).toEqual(committed.toSorted())
        }
      }),
      { numRuns: 40 },
    )
  })
})

describe('followers', () => {
  it('of two processes are both told, each event once', async () => {
    const msp = await withAgent()
    const processes = [createChangeFeed(database), createChangeFeed(database)]
    const told: string[][] = [[], []]
    for (const [n, changes] of processes.entries())
      await changes.follow(msp, ({ events }) => told[n]?.push(...events.map(({ entity_id }) => entity_id)))
    await Promise.all(Array.from({ length: 30 }, (_, n) => addExecutions(msp, [newExecution(`e${n}`)])))
    await until(() => told.every((ids) => ids.length >= 30))
    expect(told.map((ids) => new Set(ids).size)).toEqual([30, 30])
    expect(told.map((ids) => ids.length)).toEqual([30, 30])
    await Promise.all(processes.map((changes) => changes.close()))
  })

  it('who have left are told no more, and nothing is kept of them', async () => {
    const msp = await withAgent()
    const changes = createChangeFeed(database)
    let told = 0
    const leave = await changes.follow(msp, () => told++)
    leave()
    leave()
    expect(changes.followers(msp)).toBe(0)
    await addExecutions(msp, [newExecution('e')])
    const again: string[] = []
    await changes.follow(msp, ({ events }) => again.push(...events.map(short)))
    await addExecutions(msp, [newExecution('f')])
    await until(() => again.includes('EXECUTION f'))
    expect(told).toBe(0)
    await changes.close()
  })

  it('are told what happened while notifications were lost', async () => {
    const msp = await withAgent()
    const deaf = { ...database, prisma: database.prisma, listen: () => async () => {} }
    const changes = createChangeFeed(deaf, 50)
    const told: string[] = []
    await changes.follow(msp, ({ events }) => told.push(...events.map(short)))
    await addExecutions(msp, [newExecution('e')])
    await until(() => told.length > 0)
    expect(told).toEqual(['EXECUTION e'])
    await changes.close()
  })

  it.runIf(server !== null)('are told everything once the listener’s connection is made again', async () => {
    const msp = await withAgent()
    const changes = createChangeFeed(database, 3_600_000)
    const told: string[] = []
    await changes.follow(msp, ({ events }) => told.push(...events.map(short)))
    const client = new pg.Client({ connectionString: String(server) })
    await client.connect()
    onTestFinished(() => client.end())
    const cut = async () => {
      const { rows } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query like 'listen %' and pid <> pg_backend_pid()`,
      )
      return rows.length
    }
    await until(async () => (await cut()) > 0)
    for (let n = 0; n < 10; n++) await addExecutions(msp, [newExecution(`e${n}`)])
    await until(() => told.length >= 10)
    expect(new Set(told).size).toBe(10)
    expect(told.length).toBe(10)
    await changes.close()
  })
})
