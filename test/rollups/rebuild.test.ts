import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { lockDirectory } from '../../src/db/embedded/lock.ts'
import { rebuildRollups } from '../../src/db/rollups.ts'
import { newPlace, runProgram } from '../process/service.ts'
import { cloneDatabase } from '../setup/database.ts'

const onPostgresql = test.runIf(process.env.DATABASE_URL)

const NOW = new Date('2026-11-20T09:30:00Z')
const tenancy = { tenant_id: 't', environment: 'test' }
const stamps = { created_at: NOW, updated_at: NOW }

let database: Database

const execution = (execution_id: string, entity_id: string, minute: number) => ({
  ...tenancy,
  execution_id,
  entity_id,
  agent_id: 1,
  entity_type: 'TICKET' as const,
  trigger: 'TRIGGERED' as const,
  status: 'SKIPPED' as const,
  seconds_spent: 1.5,
  created_at: new Date(NOW.getTime() + minute * 60_000),
  updated_at: NOW,
})

beforeAll(async () => {
  database = await cloneDatabase()
  await database.prisma.agent.create({
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
  await database.prisma.companyLink.createMany({
    data: ['a', 'b'].map((external_id) => ({ ...tenancy, ...stamps, system: 'HUDU', external_id })),
  })
  await database.prisma.execution.createMany({
    data: [execution('1', 'x', 0), execution('2', 'x', 1), execution('3', 'y', 2), execution('4', 'y', 3)],
  })
})
afterAll(() => database?.close())
beforeEach(async () => {
  await rebuildRollups(database)
})

const corrected = async (): Promise<Record<string, number>> =>
  Object.fromEntries((await rebuildRollups(database)).map((each) => [each.rollup, each.corrected]))

/** The rows of all rollups. */
const kept = async () => ({
  counts: await database.prisma.companyLinkCount.findMany({ omit: { shard: true } }),
  days: await database.prisma.executionDaily.findMany({ omit: { shard: true } }),
  repeats: await database.prisma.ticketRepeat.findMany({ orderBy: { execution_id: 'asc' } }),
})

const RIGHT = { company_link_count: 0, execution_daily: 0, ticket_repeat: 0 }

test('what is right stays as it is', async () => {
  const before = await kept()
  expect(before.counts).toMatchObject([{ total: 2, mapped: 0 }])
  expect(before.days).toMatchObject([{ total_executions: 4, ticket_executions: 4 }])
  expect(before.repeats).toMatchObject([{ execution_id: '2' }, { execution_id: '4' }])
  expect(await corrected()).toEqual(RIGHT)
  expect(await kept()).toEqual(before)
})

test.each([
  ['update company_link_count set total = 7', 'company_link_count', 1],
  ['delete from company_link_count', 'company_link_count', 1],
  [`insert into company_link_count values ('t', 'test', 'NONE', 3, 1)`, 'company_link_count', 1],
  ['update execution_daily set total_seconds_spent = 0, failed_executions = 2', 'execution_daily', 1],
  [
    `insert into execution_daily select tenant_id, environment, day + 1, agent_id, 5 from execution_daily`,
    'execution_daily',
    1,
  ],
  ['delete from ticket_repeat', 'ticket_repeat', 2],
  [`update ticket_repeat set previous_at = created_at where execution_id = '2'`, 'ticket_repeat', 1],
  ['update ticket_repeat set agent_previous_at = previous_at, agent_id = 9', 'ticket_repeat', 2],
  [
    `insert into ticket_repeat (tenant_id, environment, execution_id, agent_id, created_at, previous_at)
     values ('t', 'test', '1', 1, now(), now()), ('t', 'test', 'none', 1, now(), now())`,
    'ticket_repeat',
    2,
  ],
])('after %j there is as many to correct in %s as is wrong: %d', async (damage, rollup, wrong) => {
  const nothing = ({ total }: { total: number }) => total !== 0
  const done = ({ total_executions }: { total_executions: number }) => total_executions !== 0
  const before = await kept()
  await database.prisma.$executeRawUnsafe(damage)
  expect(await corrected()).toEqual({ ...RIGHT, [rollup]: wrong })
  const after = await kept()
  // A row of zeros may be left over; it says as much as none.
  expect(after.counts.filter(nothing)).toEqual(before.counts.filter(nothing))
  expect(after.days.filter(done)).toEqual(before.days.filter(done))
  expect(after.repeats).toEqual(before.repeats)
})

onPostgresql('a writer does not wait for it, nor it for a writer, and both are counted', async () => {
  const { prisma } = database
  const link = (external_id: string) => ({ ...tenancy, ...stamps, system: 'HUDU', external_id })
  await prisma.$executeRawUnsafe(`update company_link_count set total = total + 100 where system = 'HUDU'`)
  await prisma.$executeRawUnsafe('update execution_daily set ticket_executions = 0')
  await prisma.$transaction(async (tx) => {
    await tx.companyLink.create({ data: { ...link('c'), system: 'PAX8' } })
    await tx.execution.create({ data: { ...execution('5', 'z', 0), created_at: new Date('2026-01-01') } })
    await tx.execution.create({ data: { ...execution('6', 'z', 0), created_at: new Date('2026-01-02') } })
    expect(await corrected()).toEqual({ company_link_count: 1, execution_daily: 1, ticket_repeat: 0 })
    await prisma.companyLink.create({ data: link('d') })
  })
  expect(await corrected()).toEqual(RIGHT)
  expect(await kept()).toMatchObject({
    counts: expect.arrayContaining([
      expect.objectContaining({ system: 'HUDU', total: 3 }),
      expect.objectContaining({ system: 'PAX8', total: 1 }),
    ]),
    repeats: [{ execution_id: '2' }, { execution_id: '4' }, { execution_id: '6' }],
  })
})

onPostgresql('two at once correct once', async () => {
  await database.prisma.$executeRawUnsafe('update company_link_count set total = total + 100')
  const before = await kept()
  await Promise.all(
    [1, 2, 3].map(() => database.prisma.$queryRawUnsafe('select company_link_count_rebuild()::int')),
  )
  expect(await corrected()).toEqual(RIGHT)
  expect(await kept()).not.toEqual(before)
})

test('the command says what it corrected', async () => {
  const place = await newPlace()
  try {
    const { code, stdout, stderr } = await runProgram('src/commands/rollups.ts', place.env)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe('company_link_count: right\nexecution_daily: right\nticket_repeat: right\n')
    if (!place.env.DATA_DIR || place.env.DATABASE_URL) return
    const held = await lockDirectory(place.env.DATA_DIR)
    const refused = await runProgram('src/commands/rollups.ts', place.env)
    await held.release()
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain(`is in use by process ${process.pid}`)
    expect(refused.stderr).toContain('compares them itself, every day at 03:17 UTC')
  } finally {
    await place.remove()
  }
})
