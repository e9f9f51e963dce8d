import { afterAll, beforeAll, expect, test } from 'vitest'
import { REGISTRY } from '../../src/areas/integrations/registry.ts'
import { CHANGE_TYPES } from '../../src/areas/schemas/change-types.ts'
import { GROUPS } from '../../src/areas/tenant/permission-group-catalogue.ts'
import type { Database } from '../../src/db/database.ts'
import {
  AgentState,
  AutonomyType,
  EntityType,
  ExecutionResolution,
  ExecutionStatus,
  ExecutionTrigger,
  FailureKind,
  TriggerType,
} from '../../src/db/generated/client/client.ts'
import { statement } from '../../src/db/sql.ts'
import { seedDemo } from '../../src/demo/seed.ts'
import { cloneDatabase } from '../setup/database.ts'

const NOW = new Date('2026-11-20T09:30:00Z')
const OPTIONS = {
  now: NOW,
  environment: 'dev',
  demo_api_key: `svc_sk_dev_${'d'.repeat(46)}`,
  key_pepper: 'p',
}

const databases: Database[] = []
let seeded: Database

beforeAll(async () => {
  seeded = await empty()
  expect(await seedDemo(seeded, OPTIONS)).toMatchObject({ added: true, api_key: OPTIONS.demo_api_key })
})
afterAll(() => Promise.all(databases.map((database) => database.close())))

async function empty(): Promise<Database> {
  const database = await cloneDatabase()
  databases.push(database)
  return database
}

const TABLES = statement(
  'test.tables',
  `select table_name as name from information_schema.tables
   where table_schema = 'public' and table_name not like '\\_prisma%' order by 1`,
)

/** Every row of every table. */
async function contents({ sql }: Database): Promise<Record<string, unknown[]>> {
  const tables = await sql.rows<{ name: string }>(TABLES, [])
  const rows = tables.map(async ({ name }) => {
    const text = `select to_jsonb(row) as row from "${name}" row order by to_jsonb(row)::text collate "C"`
    return [name, await sql.rows(statement(`test.rows.${name}`, text), [])] as const
  })
  return Object.fromEntries(await Promise.all(rows))
}

test('the demo is the same everywhere, and putting it in again changes nothing', async () => {
  const other = await empty()
  await seedDemo(other, OPTIONS)
  const demo = await contents(seeded)
  expect(await contents(other)).toEqual(demo)
  const tomorrow = new Date(NOW.getTime() + 86_400_000)
  const again = await seedDemo(seeded, { ...OPTIONS, now: tomorrow })
  expect(again).toMatchObject({ added: false, api_key: OPTIONS.demo_api_key })
  expect(await contents(seeded)).toEqual(demo)
})

test('of several processes that put the demo in at once, one does', async () => {
  const database = await empty()
  const outcomes = await Promise.all(Array.from({ length: 3 }, () => seedDemo(database, OPTIONS)))
  expect(outcomes.filter(({ added }) => added)).toHaveLength(1)
})

test('the demo has company links in every state, by every method, sure and unsure', async () => {
  const links = await seeded.prisma.companyLink.findMany()
  expect(links).toHaveLength(400)
  expect(new Set(links.map(({ system }) => system)).size).toBe(12)
  expect(new Set(links.map(({ link_state }) => link_state)).size).toBe(3)
  expect(new Set(links.map(({ match_method }) => match_method)).size).toBe(9)
  const automatic = links.filter(({ link_state }) => link_state === 'AUTO')
  expect(automatic.some(({ confidence }) => confidence < 0.95)).toBe(true)
  expect(automatic.some(({ confidence }) => confidence >= 0.95)).toBe(true)
})

test('the demo neither lists nor counts a folder, since nobody has confirmed one', async () => {
  const where = { system: 'SHAREPOINT' }
  const folders = await seeded.prisma.companyLink.findMany({ where })
  expect(folders).toHaveLength(60)
  expect(folders.filter(({ hidden, confirmed_at }) => !hidden || confirmed_at)).toEqual([])
  expect(folders.filter(({ mapped_by, link_state }) => mapped_by || link_state === 'MANUAL')).toEqual([])
  const counts = await seeded.prisma.companyLinkCount.findMany({ where })
  expect(counts.filter(({ total, mapped }) => total || mapped)).toEqual([])
  expect(await seeded.prisma.companyLink.count({ where: { hidden: true } })).toBe(60)
})

const distinct = (rows: readonly object[], column: string): unknown[] =>
  [...new Set(rows.map((row) => (row as Record<string, unknown>)[column]))].sort()

test('the demo has agents of every kind, in every state, by different people, some of them shared', async () => {
  const { prisma } = seeded
  const agents = await prisma.agent.findMany({ orderBy: { id: 'asc' }, include: { shares: true } })
  expect(agents.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(distinct(agents, 'state')).toEqual(Object.keys(AgentState).sort())
  expect(distinct(agents, 'autonomy_type')).toEqual(Object.keys(AutonomyType).sort())
  expect(distinct(agents, 'trigger_type')).toEqual(Object.keys(TriggerType).sort())
  expect(distinct(agents, 'entity_type')).toEqual(Object.keys(EntityType).sort())
  expect(distinct(agents, 'created_by_user_id').length).toBeGreaterThan(5)
  const seen = (user: string) =>
    agents.filter((a) => a.created_by_user_id === user || a.shares.some(({ user_id }) => user_id === user))
  for (const user of ['usr_user', 'usr_viewer']) {
    expect(seen(user).length, user).toBeGreaterThan(1)
    expect(seen(user).length, user).toBeLessThan(8)
  }
  for (const agent of agents) expect(agent.supervised).toBe(agent.supervisor_technician_ids.length > 0)
})

test('demo agents name change types, permission groups and systems of the catalogues, and no tool that has none', async () => {
  const agents = await seeded.prisma.agent.findMany()
  const named = (of: 'callback_settings' | 'integrations' | 'toolbox', key: string) =>
    agents.flatMap((agent) => (agent[of] as Record<string, unknown[]> | null)?.[key] ?? [])
  const grants = named('integrations', 'grants') as { system: string; permission_groups: string[] }[]
  const changes = named('callback_settings', 'change_types')
  expect(changes.length).toBeGreaterThan(0)
  expect(changes.filter((change) => !(CHANGE_TYPES as readonly unknown[]).includes(change))).toEqual([])
  expect(grants.flatMap((grant) => grant.permission_groups).filter((group) => !(group in GROUPS))).toEqual([])
  expect(grants.filter(({ system }) => !REGISTRY.some((known) => known.system === system))).toEqual([])
  expect(named('toolbox', 'tools')).toEqual([])
})

test('the demo has executions of every kind, none of the chat agent, and none that ended in the future', async () => {
  const { prisma } = seeded
  const executions = await prisma.execution.findMany({ include: { retry_of: true } })
  expect(executions.length).toBeGreaterThan(2000)
  expect(distinct(executions, 'status')).toEqual(Object.keys(ExecutionStatus).sort())
  expect(distinct(executions, 'resolution')).toEqual(Object.keys(ExecutionResolution).sort())
  expect(distinct(executions, 'trigger')).toEqual(Object.keys(ExecutionTrigger).sort())
  expect(distinct(executions, 'failure_kind')).toEqual([...Object.keys(FailureKind).sort(), null])
  expect(distinct(executions, 'agent_id')).toEqual([1, 2, 3, 4, 5, 8])
  for (const { created_at, finished_at, retry_of, ...one } of executions) {
    expect(created_at.getTime()).toBeLessThanOrEqual(NOW.getTime())
    expect((finished_at ?? NOW).getTime()).toBeLessThanOrEqual(NOW.getTime())
    expect(retry_of !== null).toBe(one.trigger === 'RETRY')
    if (retry_of) expect([retry_of.agent_id, retry_of.created_at < created_at]).toEqual([one.agent_id, true])
    expect(one.failure_kind !== null).toBe(one.status === 'FAILED' || one.status === 'TIMED_OUT')
  }
  expect(await prisma.creditEntry.count({ where: { agent_id: 6 } })).toBeGreaterThan(100)
  expect(await prisma.ticketsReceived.count()).toBeGreaterThan(35 * 24 * 4)
})

test('a new agent gets an id that no agent of the demo has, in a second environment too', async () => {
  const database = await empty()
  await seedDemo(database, OPTIONS)
  const other = { ...OPTIONS, environment: 'staging', demo_api_key: `svc_sk_staging_${'s'.repeat(46)}` }
  await seedDemo(database, { ...other, key_pepper: 'other' })
  const { prisma } = database
  const [first] = await prisma.agent.findMany({ where: { environment: 'staging', id: 1 } })
  const { id: _, sort_name: __, ...rest } = first ?? {}
  const made = await prisma.agent.create({ data: { ...rest, name: 'Another' } as never })
  expect(made.id).toBeGreaterThan(8)
})

test('the demo may still send the five integration requests of a week', async () => {
  const since = new Date(NOW.getTime() - 7 * 86_400_000)
  expect(await seeded.prisma.integrationRequest.count({ where: { created_at: { gt: since } } })).toBe(0)
})

test('the demo key follows the secrets of the process, until somebody has revoked it', async () => {
  const moved = { ...OPTIONS, demo_api_key: `svc_sk_dev_${'e'.repeat(46)}`, key_pepper: 'other' }
  expect((await seedDemo(seeded, moved)).api_key).toBe(moved.demo_api_key)
  await seeded.prisma.apiKey.updateMany({ where: { id: 'key_demo' }, data: { revoked_at: NOW } })
  expect((await seedDemo(seeded, OPTIONS)).api_key).toBeNull()
})
