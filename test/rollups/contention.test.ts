import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { foldRollups, rebuildRollups } from '../../src/db/rollups.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import type { Connection } from './transactions.ts'

const NOW = new Date('2026-11-20T09:30:00Z')
const tenancy = { tenant_id: 't', environment: 'test' }
const stamps = { created_at: NOW, updated_at: NOW }
const LINKS = 10_000
const EXECUTIONS = 200

const SYNC = `insert into company_link (tenant_id, environment, system, external_id, created_at, updated_at)
  select 't', 'test', 'HUDU', 'synced ' || n, now(), now() from generate_series(1, ${LINKS}) n`

describe.runIf(process.env.DATABASE_URL)('writers of the same rollup', () => {
  let database: Database

  beforeAll(async () => {
    database = await openTestDatabase((await cloneUrl()) as string)
    const { prisma } = database
    await prisma.agent.create({
      data: {
        ...tenancy,
        ...stamps,
        id: 1,
        name: 'Agent',
        created_by_name: 'Owner',
        autonomy_type: 'AGENTIC',
        trigger_type: 'TRIGGERED',
        entity_type: 'TICKET',
      },
    })
    await prisma.execution.createMany({
      data: Array.from({ length: EXECUTIONS }, (_, number) => ({
        ...tenancy,
        ...stamps,
        execution_id: `e${number}`,
        agent_id: 1,
        entity_id: `t${number}`,
        entity_type: 'TICKET' as const,
        trigger: 'TRIGGERED' as const,
        seconds_spent: 1,
      })),
    })
    await prisma.companyLink.createMany({
      data: ['a', 'b', 'c'].map((external_id) => ({ ...tenancy, ...stamps, system: 'HUDU', external_id })),
    })
    return () => database.close()
  })

  const finish = (tx: Connection, number: number) =>
    tx.execution.update({
      where: {
        tenant_id_environment_execution_id: { ...tenancy, execution_id: `e${number}` },
      },
      data: { status: 'COMPLETED', resolution: 'FULL', hours_saved: 0.5 },
    })

  /** Fails if it would wait for a lock that another transaction holds. */
  const withoutWaiting = (work: (tx: Connection) => Promise<unknown>) =>
    database.prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(`set local lock_timeout = '5s'`)
      await work(tx)
    })

  const counted = async () => {
    const { _sum } = await database.prisma.companyLinkCount.aggregate({ _sum: { total: true } })
    return _sum.total
  }

  const shards = async () => ({
    counts: await database.prisma.companyLinkCount.count(),
    days: await database.prisma.executionDaily.count(),
  })

  const expectRight = async () => {
    const rebuilt = await rebuildRollups(database)
    expect(rebuilt.map(({ corrected }) => corrected)).toEqual([0, 0, 0])
  }

  test('a link is added and an execution finished while a sync and another worker have not committed', async () => {
    await database.prisma.$transaction(async (sync) => {
      await sync.$executeRawUnsafe(SYNC)
      await finish(sync, 0)
      for (let number = 1; number <= 20; number++) {
        await withoutWaiting(async (tx) => {
          await tx.companyLink.create({
            data: { ...tenancy, ...stamps, system: 'HUDU', external_id: `n${number}` },
          })
          await finish(tx, number)
        })
      }
      expect(await counted()).toBe(23)
    })
    expect(await counted()).toBe(LINKS + 23)
    // One shard that was there, and one for all that came while it was locked.
    expect(await shards()).toEqual({ counts: 2, days: 2 })
    await expectRight()
  })

  test('a fold merges the shards that nobody has locked, and a rebuild waits for none', async () => {
    await foldRollups(database.sql)
    await expectRight()
    await database.prisma.$transaction(async (held) => {
      await finish(held, 30)
      await withoutWaiting((tx) => finish(tx, 31))
      expect((await shards()).days).toBe(2)
      await foldRollups(database.sql)
      await expectRight()
    })
    await foldRollups(database.sql)
    expect(await shards()).toEqual({ counts: 1, days: 1 })
    await expectRight()
  })

  test('workers on one agent and folds at once wait for no lock, and every execution is counted', async () => {
    let working = true
    const folding = (async () => {
      while (working) await foldRollups(database.sql)
    })()
    const work = async (first: number) => {
      for (let number = first; number < first + 35; number++) {
        await withoutWaiting(async (tx) => {
          await finish(tx, number)
          await tx.companyLink.create({
            data: { ...tenancy, ...stamps, system: 'HUDU', external_id: `w${number}` },
          })
        })
      }
    }
    await Promise.all([50, 85, 120, 155].map(work))
    working = false
    await folding
    expect(await counted()).toBe(LINKS + 23 + 140)
    await expectRight()
  })
})
