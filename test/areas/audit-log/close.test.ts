import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hashOf } from '../../../src/areas/audit-log/chain/chain.ts'
import { closeChains, closeNext, oldestUnclosedSeconds } from '../../../src/areas/audit-log/chain/close.ts'
import { statement } from '../../../src/db/sql.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { clock } from '../../setup/app.ts'
import { times } from '../../setup/at-once.ts'
import { addCallsAt, chainOf, closeChain, tamper } from '../../setup/audit-chain.ts'
import { cloneDatabase } from '../../setup/database.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Msp, world } from '../../setup/world.ts'
import { ago, sharedAgents } from './calls.ts'

const onServer = Boolean(process.env.DATABASE_URL)

const seconds = (count: number) => new Date(clock.now().getTime() - count * 1000)

/** The chain as it is stored: the ids in its order. Every entry of it fits. */
async function closedIds(msp: Msp): Promise<string[]> {
  const entries = (await chainOf(msp)).filter(({ hash }) => hash !== null)
  const positions = new Map<string, number>()
  let before: string | null = null
  for (const { hash, chain_day, chain_position, search_text: _text, ...entry } of entries) {
    const day = String(chain_day?.toISOString())
    const expected: number = (positions.get(day) ?? 0) + 1
    positions.set(day, expected)
    expect([entry.id, chain_position]).toEqual([entry.id, expected])
    if (expected > 1) expect(entry.previous_hash).toBe(before)
    expect(hashOf({ ...entry, sequence: Number(entry.sequence) })).toBe(hash)
    before = hash
  }
  return entries.map(({ id }) => id)
}

describe('closing the chain', () => {
  it('closes the oldest entries first, a batch at a time, and goes on from where it ended', async () => {
    const msp = await sharedAgents()
    await addCallsAt(msp, [seconds(3), seconds(5), seconds(4), seconds(1), seconds(2)])
    expect([await closeChain(msp, 2), await closeChain(msp, 2)]).toEqual([2, 2])
    expect(await closedIds(msp)).toEqual(['e2', 'e3', 'e1', 'e5'])
    expect([await closeChain(msp, 2), await closeChain(msp, 2)]).toEqual([1, 0])
    expect(await closedIds(msp)).toEqual(['e2', 'e3', 'e1', 'e5', 'e4'])
  })

  it('is of one tenant and environment, and of each day apart', async () => {
    const [msp, other] = [await sharedAgents(), await sharedAgents()]
    for (const each of [msp, other]) await addCallsAt(each, [ago(2), ago(1), ago(1)])
    expect(await closeChain(msp)).toBe(3)
    expect((await chainOf(other)).map(({ hash }) => hash)).toEqual([null, null, null])
    await closeChain(other)
    const hashes = [...(await chainOf(msp)), ...(await chainOf(other))].map(({ hash }) => hash)
    expect(new Set(hashes).size).toBe(6)
    const days = await msp.database.prisma.auditDay.findMany({
      where: { tenant_id: msp.tenant_id },
      orderBy: { day: 'asc' },
    })
    expect(days.map(({ entries }) => entries)).toEqual([1, 2])
    expect(days[1]).toMatchObject({ previous_day: days[0]?.day, previous_day_hash: days[0]?.last_hash })
  })

  it('writes nothing if the entries changed meanwhile', async () => {
    const msp = await sharedAgents()
    await addCallsAt(msp, [seconds(2), seconds(1)])
    const closing = msp.database.transaction(10_000, (connection) =>
      closeNext(
        {
          rows: async (query, values) => {
            if (query.name !== 'audit_log.close') return await connection.rows(query, values)
            const links = JSON.stringify(JSON.parse(String(values[2])).slice(1))
            return await connection.rows(query, values.with(2, links))
          },
        },
        msp,
        clock.now(),
        10,
      ),
    )
    await expect(closing).rejects.toThrow('changed while the chain was closed')
    expect(await closedIds(msp)).toEqual([])
  })

  it.runIf(onServer)(
    'closes an entry that is committed late behind those that were closed before',
    async () => {
      const msp = await sharedAgents()
      const committed = Promise.withResolvers<void>()
      const inserted = Promise.withResolvers<void>()
      const late = msp.database.prisma.$transaction(
        async (tx) => {
          await addCallsAt(
            { ...msp, database: { ...msp.database, prisma: tx as never } },
            [seconds(60)],
            'late',
          )
          inserted.resolve()
          await committed.promise
        },
        { timeout: 30_000 },
      )
      await inserted.promise
      await addCallsAt(msp, [seconds(3), seconds(2)])
      expect(await closeChain(msp)).toBe(2)
      const before = await chainOf(msp)
      committed.resolve()
      await late
      await addCallsAt(msp, [seconds(1)], 'f')
      expect(await closeChain(msp)).toBe(2)
      expect(await closedIds(msp)).toEqual(['e1', 'e2', 'late1', 'f1'])
      expect((await chainOf(msp)).slice(0, 2)).toEqual(before)
    },
  )

  it.runIf(onServer)('is done by one process at a time, and no writer waits for it', async () => {
    const msp = await sharedAgents()
    await addCallsAt(msp, [seconds(2), seconds(1)])
    const holding = Promise.withResolvers<void>()
    const ending = Promise.withResolvers<void>()
    const closing = msp.database.transaction(30_000, async (connection) => {
      const closed = await closeNext(connection, msp, clock.now(), 1)
      holding.resolve()
      await ending.promise
      return closed
    })
    await holding.promise
    await addCallsAt(msp, [seconds(1), seconds(0)], 'f')
    expect(await closeChain(msp)).toBe(0)
    ending.resolve()
    expect(await closing).toBe(1)
    expect(await closeChain(msp)).toBe(3)
    expect(await closedIds(msp)).toHaveLength(4)
  })

  it.runIf(onServer)('closes each entry once, however many processes try while others write', async () => {
    const msp = await sharedAgents()
    await addCallsAt(
      msp,
      Array.from({ length: 40 }, (_, index) => seconds(100 - index)),
    )
    const closed = await times(async (index) => {
      if (index % 4 === 0) await addCallsAt(msp, [seconds(index)], `w${index}_`)
      let sum = 0
      for (let round = 0; round < 5; round++) sum += await closeChain(msp, 3)
      return sum
    })
    const rest = await closeChain(msp)
    expect(closed.reduce((sum, each) => sum + each, rest)).toBe(45)
    expect(await closedIds(msp)).toHaveLength(45)
  })
})

describe('the loop that closes chains', () => {
  /** A database of its own, on which the loop is run once. */
  async function looped() {
    const database = await cloneDatabase()
    onTestFinished(() => database.close())
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
    const services = { database, environment: 'test', now: clock.now } as Services
    const run = () =>
      closeChains.run({ services, now: clock.now(), signal: new AbortController().signal, log })
    const newMsp = async () => {
      const msp = await world(database)
      await addAgents(msp, [{ id: 1 }])
      await addExecutions(msp, [{ execution_id: 'exe_1', agent_id: 1 }])
      return msp
    }
    return { database, run, newMsp, lines }
  }

  it('closes everything of every tenant, and asks once if nothing waits', async () => {
    const { database, run, newMsp, lines } = await looped()
    const msps = [await newMsp(), await newMsp(), await newMsp()]
    const MANY = Array.from({ length: 520 }, () => seconds(1))
    for (const msp of msps) await addCallsAt(msp, msp === msps[0] ? MANY : [seconds(1), seconds(0)])
    await run()
    for (const msp of msps) expect(await closedIds(msp)).toHaveLength(msp === msps[0] ? 520 : 2)
    expect(lines).toEqual([])
    expect(await countStatements(database, run)).toBe(1)
  })

  it('closes the other chains if one cannot be closed', async () => {
    const { run, newMsp } = await looped()
    const msps = [await newMsp(), await newMsp(), await newMsp()].sort((a, b) =>
      a.tenant_id < b.tenant_id ? -1 : 1,
    )
    const [first, ...others] = msps as [Msp, Msp, Msp]
    for (const msp of msps) await addCallsAt(msp, [seconds(2), seconds(1)])
    await closeChain(first, 1)
    // What was forged stands where the next entry of the chain belongs.
    const forged = `insert into audit_entry (tenant_id, environment, id, occurred_at, agent_id, agent_name, execution_id,
        temporal_run_id, tool_name, tool_title, access, outcome, arguments, correlation_id, hash, previous_hash,
        chain_day, chain_position)
      select tenant_id, environment, 'forged', occurred_at, agent_id, agent_name, execution_id, temporal_run_id,
        tool_name, tool_title, access, outcome, arguments, correlation_id, hash, previous_hash, chain_day, 2
      from audit_entry where tenant_id = $1 and environment = $2 and id = 'e1'`
    await tamper(first, forged)
    await expect(run()).rejects.toThrow('audit_entry_chain')
    for (const msp of others) expect(await closedIds(msp)).toEqual(['e1', 'e2'])
  })

  it('says how long entries have waited, if that is more than five seconds', async () => {
    const { database, run, newMsp, lines } = await looped()
    expect(await oldestUnclosedSeconds(database.sql, 'test')()).toBe(0)
    const msp = await newMsp()
    await addCallsAt(msp, [new Date(Date.now() - 60_000)])
    const age = await oldestUnclosedSeconds(database.sql, 'test')()
    expect(age).toBeGreaterThanOrEqual(59)
    expect(age).toBeLessThan(120)
    await run()
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      tenants: 1,
      msg: 'the chain of the audit log is behind',
    })
    expect(await oldestUnclosedSeconds(database.sql, 'test')()).toBe(0)
  })
})

describe('the days of the audit log', () => {
  it('are not changed, shortened or deleted by anybody else', async () => {
    const msp = await sharedAgents()
    await addCallsAt(msp, [seconds(1), seconds(0)])
    await closeChain(msp)
    const { tenant_id, environment, database } = msp
    const changes = [
      `update audit_day set last_hash = 'x'`,
      'update audit_day set entries = entries + 1',
      'update audit_day set deleted_at = now()',
      'delete from audit_day',
    ]
    const run = (setting: string, text: string) =>
      database.transaction(10_000, async (connection) => {
        await connection.rows(statement('test.set', `select set_config($1, 'on', true)`), [setting])
        const change = statement(`test ${text}`, `${text} where tenant_id = $1 and environment = $2`)
        return await connection.rows(change, [tenant_id, environment])
      })
    for (const text of changes) await expect(run('app.nothing', text)).rejects.toThrow('only ever added to')
    for (const text of [
      `update audit_day set entries = 1`,
      `update audit_day set entries = 9, previous_day = day`,
    ])
      await expect(run('app.audit_chain', text)).rejects.toThrow('only ever added to')
    for (const text of ['update audit_day set entries = 9, deleted_at = now()', 'delete from audit_day'])
      await expect(run('app.retention', text)).rejects.toThrow('only ever added to')
  })
})
