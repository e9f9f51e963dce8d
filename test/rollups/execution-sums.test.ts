import fc from 'fast-check'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { byteOrder } from '../setup/companies.ts'
import { cloneDatabase, testDatabase } from '../setup/database.ts'
import { world } from '../setup/world.ts'
import { type Connection, transact } from './transactions.ts'

const onPostgresql = test.runIf(process.env.DATABASE_URL)

const AGENTS = [101, 102, 103]
const at = fc.constantFrom(
  '2026-03-28T23:59:59.999Z',
  '2026-03-29T00:00:00.000Z',
  '2026-03-29T00:59:59.000Z',
  '2026-03-29T12:00:00.000Z',
  '2026-03-30T00:00:00.000Z',
)

/** Two tenants with agents of the same numbers. */
async function twoTenants(): Promise<string[]> {
  const tenants = [(await world()).tenant_id, (await world()).tenant_id]
  await addAgents(await testDatabase(), tenants)
  return tenants
}

async function addAgents({ prisma }: Database, tenants: readonly string[]): Promise<void> {
  const now = new Date()
  await prisma.agent.createMany({
    data: tenants.flatMap((tenant_id) =>
      AGENTS.map((id) => ({
        tenant_id,
        environment: 'test',
        id,
        name: `Agent ${id}`,
        created_by_name: 'Owner',
        autonomy_type: 'AGENTIC' as const,
        trigger_type: 'TRIGGERED' as const,
        entity_type: 'TICKET' as const,
        created_at: now,
        updated_at: now,
      })),
    ),
  })
}

type Sums = Record<string, Record<string, string>>

const isForTicket = ({ entity_id, entity_type }: { entity_id: string | null; entity_type: string }) =>
  entity_id !== null && entity_type === 'TICKET'

const COUNTED = {
  total_executions: () => true,
  ticket_executions: isForTicket,
  successful_executions: ({ status }: { status: string }) => status === 'COMPLETED',
  failed_executions: ({ status }: { status: string }) => ['FAILED', 'TIMED_OUT'].includes(status),
  fully_resolved_executions: ({ resolution }: { resolution: string }) => resolution === 'FULL',
  partially_resolved_executions: ({ resolution }: { resolution: string }) => resolution === 'PARTIAL',
}
const AMOUNTS = ['total_seconds_spent', 'total_hours_saved', 'credits_consumed'] as const

/** The rollup of the tenants. A row of zeros is as good as no row. */
async function kept({ prisma }: Database, tenants: readonly string[]) {
  const where = { tenant_id: { in: [...tenants] } }
  const days: Sums = {}
  const rows = await prisma.executionDaily.groupBy({
    by: ['tenant_id', 'environment', 'day', 'agent_id'],
    where,
    _sum: Object.fromEntries([...Object.keys(COUNTED), ...AMOUNTS].map((name) => [name, true])),
  })
  for (const { tenant_id, environment, day, agent_id, _sum } of rows) {
    const values = Object.entries(_sum).map(([name, sum]) => [name, Number(sum).toFixed(4)])
    if (values.some(([, sum]) => sum !== '0.0000')) {
      const key = `${tenant_id} ${environment} ${day.toISOString().slice(0, 10)} ${agent_id}`
      days[key] = Object.fromEntries(values)
    }
  }
  const repeats = await prisma.ticketRepeat.findMany({ where })
  return { days, repeats: repeats.map((row) => JSON.stringify(row)).sort() }
}

/** The same, from the rows themselves. */
async function scanned({ prisma }: Database, tenants: readonly string[]) {
  const where = { tenant_id: { in: [...tenants] } }
  const executions = await prisma.execution.findMany({ where })
  const entries = await prisma.creditEntry.findMany({ where })
  const sums = new Map<string, Record<string, number>>()
  const add = (row: { tenant_id: string; environment: string; agent_id: number }, when: Date) => {
    const key = `${row.tenant_id} ${row.environment} ${when.toISOString().slice(0, 10)} ${row.agent_id}`
    const none = Object.fromEntries([...Object.keys(COUNTED), ...AMOUNTS].map((name) => [name, 0]))
    const day = sums.get(key) ?? none
    sums.set(key, day)
    return (name: string, amount: unknown) => {
      day[name] = (day[name] ?? 0) + Number(amount)
    }
  }
  for (const execution of executions) {
    const count = add(execution, execution.created_at)
    for (const [name, counts] of Object.entries(COUNTED)) count(name, counts(execution) ? 1 : 0)
    count('total_seconds_spent', execution.seconds_spent)
    if (execution.status === 'COMPLETED') count('total_hours_saved', execution.hours_saved)
    count('credits_consumed', execution.credits_consumed)
  }
  for (const entry of entries) add(entry, entry.at)('credits_consumed', entry.credits)
  const days: Sums = {}
  for (const [key, day] of sums) {
    const values = Object.entries(day).map(([name, sum]) => [name, sum.toFixed(4)])
    if (values.some(([, sum]) => sum !== '0.0000')) days[key] = Object.fromEntries(values)
  }
  const ordered = executions
    .filter(isForTicket)
    .sort(
      (a, b) => a.created_at.getTime() - b.created_at.getTime() || byteOrder(a.execution_id, b.execution_id),
    )
  const lastOf = new Map<string, Date>()
  const repeats: string[] = []
  for (const { tenant_id, environment, execution_id, agent_id, entity_id, created_at } of ordered) {
    const ticket = JSON.stringify([tenant_id, environment, entity_id])
    const of_agent = JSON.stringify([ticket, agent_id])
    const key = { tenant_id, environment, execution_id, agent_id, created_at }
    const previous_at = lastOf.get(ticket)
    const agent_previous_at = lastOf.get(of_agent) ?? null
    if (previous_at) repeats.push(JSON.stringify({ ...key, previous_at, agent_previous_at }))
    lastOf.set(ticket, created_at).set(of_agent, created_at)
  }
  return { days, repeats: repeats.sort() }
}

async function expectKept(database: Database, tenants: readonly string[]): Promise<void> {
  expect(await kept(database, tenants)).toEqual(await scanned(database, tenants))
}

const IDS = [...'abcdefgh']
const amount = fc.integer({ min: 0, max: 20_000 }).map((tenths) => tenths / 1000)
const row = fc.record({
  tenant: fc.constantFrom(0, 1),
  id: fc.constantFrom(...IDS),
  agent_id: fc.constantFrom(...AGENTS),
  // At most one of an agent is live on a ticket, and to sums a live one is like one that was skipped.
  status: fc.constantFrom('COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED'),
  resolution: fc.constantFrom('NONE', 'PARTIAL', 'FULL'),
  entity_type: fc.constantFrom('TICKET', 'TICKET', 'TIME_ENTRY', 'NONE'),
  entity_id: fc.option(fc.constantFrom('t1', 't2', 't3')),
  seconds_spent: amount,
  hours_saved: amount,
  credits: amount,
  at,
})

const ROWS = `jsonb_to_recordset($2::jsonb) as r (tenant int, id text, agent_id int, status execution_status,
  resolution execution_resolution, entity_type entity_type, entity_id text, seconds_spent numeric, hours_saved numeric, credits numeric,
  at timestamptz)`
const KEY = "tenant_id = ($1::text[])[1 + r.tenant] and environment = 'test'"
const OF_EXECUTION = `from ${ROWS} where ${KEY} and execution_id = r.id`
const OF_ENTRY = `from ${ROWS} where ${KEY} and credit_entry.id = r.id`
const PUT = `insert into execution (tenant_id, environment, execution_id, agent_id, status, resolution, trigger,
    entity_type, entity_id, seconds_spent, hours_saved, credits_consumed, created_at, updated_at)
  select ($1::text[])[1 + tenant], 'test', id, agent_id, status, resolution, 'TRIGGERED', entity_type, entity_id,
    seconds_spent, hours_saved, credits, at, at from ${ROWS}`
const PUT_ENTRIES = `insert into credit_entry (tenant_id, environment, id, agent_id, at, credits)
  select ($1::text[])[1 + tenant], 'test', id, agent_id, at, credits from ${ROWS}`

const TEXTS = {
  put: `${PUT} on conflict do nothing`,
  replace: `${PUT} on conflict (tenant_id, environment, execution_id) do update set agent_id = excluded.agent_id,
    status = excluded.status, entity_id = excluded.entity_id, created_at = excluded.created_at`,
  finish: `update execution set status = r.status, resolution = r.resolution ${OF_EXECUTION}`,
  spend: `update execution set seconds_spent = r.seconds_spent, hours_saved = r.hours_saved,
    credits_consumed = r.credits ${OF_EXECUTION}`,
  hand_over: `update execution set agent_id = r.agent_id ${OF_EXECUTION}`,
  retarget: `update execution set entity_id = r.entity_id ${OF_EXECUTION}`,
  retype: `update execution set entity_type = r.entity_type ${OF_EXECUTION}`,
  shift: `update execution set created_at = r.at ${OF_EXECUTION}`,
  rename: `update execution set execution_id = execution_id || '.' ${OF_EXECUTION}`,
  remove: `delete from execution using ${ROWS} where ${KEY} and execution_id = r.id`,
  charge: `${PUT_ENTRIES} on conflict do nothing`,
  recharge: `update credit_entry set credits = r.credits, agent_id = r.agent_id, at = r.at ${OF_ENTRY}`,
  refund: `delete from credit_entry using ${ROWS} where ${KEY} and credit_entry.id = r.id`,
} as const
type Kind = keyof typeof TEXTS

const step = fc.record({
  kind: fc.oneof(fc.constantFrom<Kind>('put', 'replace'), fc.constantFrom(...(Object.keys(TEXTS) as Kind[]))),
  rows: fc.uniqueArray(row, { minLength: 1, maxLength: 8, selector: ({ tenant, id }) => `${tenant}${id}` }),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function take(tx: Connection, tenants: readonly string[], { kind, rows }: Step): Promise<void> {
  // A new name must not be taken.
  if (kind === 'rename') {
    const renamed = rows.map((each) => ({ ...each, id: `${each.id}.` }))
    await tx.$executeRawUnsafe(TEXTS.remove, tenants, JSON.stringify(renamed))
  }
  await tx.$executeRawUnsafe(TEXTS[kind], tenants, JSON.stringify(rows))
}

const history = fc.array(
  fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 4 }), kept: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
)

let database: Database

beforeAll(async () => {
  database = await testDatabase()
})

test('sums of a day and repeated tickets are those of a scan, whatever was written and undone', async () => {
  const tenants = await twoTenants()
  await fc.assert(
    fc.asyncProperty(history, async (transactions) => {
      for (const { steps, kept } of transactions) {
        await transact(database, kept, async (tx) => {
          for (const each of steps) await take(tx, tenants, each)
        })
      }
      await expectKept(database, tenants)
    }),
    { numRuns: 15 },
  )
})

onPostgresql('sums of a day and repeated tickets are those of a scan after histories at once', async () => {
  const tenants = await twoTenants()
  const two = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 6 })
  const run = (steps: Step[]) =>
    database.prisma
      .$transaction(async (tx) => {
        for (const each of steps) await take(tx, tenants, each)
      })
      .then(() => true, lostRace)
  let done = 0
  await fc.assert(
    fc.asyncProperty(two, async (transactions) => {
      const outcomes = await Promise.all(transactions.map(run))
      done += outcomes.filter(Boolean).length
      await expectKept(database, tenants)
    }),
    { numRuns: 10 },
  )
  // One of each history at least: whoever is in the way of another goes on.
  expect(done).toBeGreaterThanOrEqual(10)
})

/** A transaction that was in another one's way has changed nothing. */
function lostRace(error: unknown): false {
  if (!/deadlock|conflict|Unique constraint|duplicate key/i.test(String(error))) throw error
  return false
}

onPostgresql('an execution more of one ticket at once, twenty times, repeats it nineteen times', async () => {
  const [tenant_id = ''] = await twoTenants()
  const now = Date.now()
  await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      database.prisma.execution.create({
        data: {
          tenant_id,
          environment: 'test',
          execution_id: `e${number}`,
          agent_id: 101,
          entity_id: 't',
          entity_type: 'TICKET',
          status: 'SKIPPED',
          trigger: 'TRIGGERED',
          created_at: new Date(now - number),
          updated_at: new Date(now),
        },
      }),
    ),
  )
  expect((await kept(database, [tenant_id])).repeats).toHaveLength(19)
  await expectKept(database, [tenant_id])
})

test('nothing is left of what is truncated', async () => {
  const own = await cloneDatabase()
  onTestFinished(() => own.close())
  await addAgents(own, ['a', 'b'])
  const [every] = fc.sample(fc.tuple(row, row, row), { numRuns: 1, seed: 1 })
  for (const kind of ['put', 'charge'] as const) {
    const rows = (every ?? []).map((each, index) => ({
      ...each,
      id: IDS[index] ?? '',
      entity_type: 'TICKET' as const,
      entity_id: 't1' as const,
    }))
    await own.prisma.$transaction((tx) => take(tx, ['a', 'b'], { kind, rows }))
  }
  expect((await kept(own, ['a', 'b'])).days).not.toEqual({})
  // The audit log refuses to be truncated with its executions.
  await own.prisma.$executeRawUnsafe('alter table audit_entry disable trigger user')
  await own.prisma.$executeRawUnsafe('truncate execution cascade')
  await expectKept(own, ['a', 'b'])
  await own.prisma.$executeRawUnsafe('truncate credit_entry')
  expect(await kept(own, ['a', 'b'])).toEqual({ days: {}, repeats: [] })
})
