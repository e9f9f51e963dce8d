import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VALIDATOR } from '../../src/areas/agents/configuration/published-rules.ts'
import { changedPaths, configurationIn } from '../../src/areas/agents/rules.ts'
import { type ClosedEntry, follow, genesisOf } from '../../src/areas/audit-log/chain/chain.ts'
import { CHANGE_TYPES } from '../../src/areas/change-types/catalogue.ts'
import { agentProblem, transportProblems } from '../../src/areas/channels/rules.ts'
import { REGISTRY } from '../../src/areas/integrations/registry.ts'
import { isReady } from '../../src/areas/technicians/rules.ts'
import { validateWindows, type Window } from '../../src/areas/technicians/schedules/windows.ts'
import { GROUPS } from '../../src/areas/tenant/permission-group-catalogue.ts'
import { convertRow } from '../../src/db/column-types.ts'
import type { Database } from '../../src/db/database.ts'
import {
  AgentState,
  AuditOutcome,
  AutonomyType,
  ChannelInstallStatus,
  ChannelStatus,
  EntityType,
  ExecutionResolution,
  ExecutionStatus,
  ExecutionTrigger,
  FailureKind,
  ProfileStatus,
  TriggerType,
} from '../../src/db/generated/client/client.ts'
import { statement } from '../../src/db/sql.ts'
import { seedDemo } from '../../src/demo/seed.ts'
import { toolNamed } from '../../src/tools/registry.ts'
import { cloneDatabase } from '../setup/database.ts'
import { DEMO, MORNING, readDemo } from '../setup/demo.ts'
import { misplacedInstants, olderThanReferred } from '../setup/demo-times.ts'

const OPTIONS = { ...DEMO, now: MORNING }

/** It is only read. */
let seeded: Database
/** The demo was put in by several processes at once; tests change it. */
let raced: Database

beforeAll(async () => {
  seeded = await readDemo(MORNING)
})
beforeAll(async () => {
  raced = await cloneDatabase()
  const outcomes = await Promise.all(Array.from({ length: 3 }, () => seedDemo(raced, OPTIONS)))
  expect(outcomes.filter(({ added }) => added)).toMatchObject([
    { added: true, api_key: OPTIONS.demo_api_key },
  ])
})
afterAll(() => raced.close())

const TABLES = statement(
  'test.tables',
  `select table_name as name from information_schema.tables
   where table_schema = 'public' and table_name not like '\\_prisma%' order by 1`,
)

/** The number of rows of each table, and a hash of all of them. */
async function contents({ sql }: Database): Promise<Map<string, string>> {
  const tables = await sql.rows<{ name: string }>(TABLES, [])
  const rows = tables.map(async ({ name }) => {
    const text = `select count(*) || ' ' || coalesce(md5(string_agg(row, '' order by row collate "C")), '') as rows
      from (select md5(to_jsonb(t)::text) as row from "${name}" t)`
    const [found] = await sql.rows<{ rows: string }>(statement(`test.rows.${name}`, text), [])
    return [name, found?.rows ?? ''] as const
  })
  return new Map(await Promise.all(rows))
}

/** The tables of which the rows are not the same. */
function differing(some: Map<string, string>, others: Map<string, string>): string[] {
  expect([...some.keys()]).toEqual([...others.keys()])
  return [...some].flatMap(([name, rows]) => (rows === others.get(name) ? [] : [name]))
}

test('the revisions of each agent lead from its creation to the configuration that it has, each by the rules', async () => {
  const profiles = await seeded.prisma.technicianProfile.findMany({ where: { deleted_at: null } })
  const technicians = new Set(profiles.map(({ id }) => id))
  const agents = await seeded.prisma.agent.findMany({
    include: { revisions: { orderBy: { revision: 'asc' } } },
  })
  for (const { revisions, ...agent } of agents) {
    expect(revisions.at(0)).toMatchObject({ revision: 1, changed_at: agent.created_at })
    expect(revisions.at(-1)?.snapshot).toEqual(configurationIn(agent))
    expect(revisions.at(-1)?.revision).toBeLessThanOrEqual(agent.revision)
    expect(agent.updated_at > agent.created_at).toBe(agent.revision > 1)
    for (const [index, { snapshot, changed_paths, changed_at }] of revisions.entries()) {
      const before = revisions[index - 1] ?? null
      expect(changed_paths).toEqual(changedPaths(before && (before.snapshot as object), snapshot as object))
      expect(changed_paths.length).toBeGreaterThan(0)
      const { agent_settings_edits: _, ...body } = snapshot as Record<string, unknown>
      expect(VALIDATOR.draft(body, { connected: null, technicians }).problems).toEqual([])
      expect(changed_at > (before?.changed_at ?? new Date(0)) && changed_at < MORNING).toBe(true)
    }
  }
  expect(agents.length).toBeGreaterThan(5)
})

test('the demo is the same everywhere, put in by one process or by one of several, and is put in once', async () => {
  const demo = await contents(seeded)
  expect([...demo.values()].filter((rows) => Number.parseInt(rows, 10) > 0).length).toBeGreaterThan(50)
  expect(differing(await contents(raced), demo)).toEqual([])
  const tomorrow = new Date(MORNING.getTime() + 86_400_000)
  const again = await seedDemo(raced, { ...OPTIONS, now: tomorrow })
  expect(again).toMatchObject({ added: false, api_key: OPTIONS.demo_api_key })
  expect(differing(await contents(raced), demo)).toEqual([])
})

test('no row of the demo was changed or came to its end before it was created, in a morning', async () => {
  expect(await misplacedInstants(seeded, MORNING)).toEqual([])
})

test('no row is older than a row that it refers to, in a morning', async () => {
  const { found, judged } = await olderThanReferred(seeded)
  expect(found).toEqual([])
  expect(judged).toBeGreaterThan(60)
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
  expect(agents.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
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

test('demo agents name change types, permission groups, systems and tools of the catalogues', async () => {
  const agents = await seeded.prisma.agent.findMany()
  const named = (of: 'callback_settings' | 'integrations' | 'toolbox', key: string) =>
    agents.flatMap((agent) => (agent[of] as Record<string, unknown[]> | null)?.[key] ?? [])
  const grants = named('integrations', 'grants') as { system: string; permission_groups: string[] }[]
  const changes = named('callback_settings', 'change_types')
  expect(changes.length).toBeGreaterThan(0)
  expect(changes.filter((change) => !(CHANGE_TYPES as readonly unknown[]).includes(change))).toEqual([])
  expect(grants.flatMap((grant) => grant.permission_groups).filter((group) => !(group in GROUPS))).toEqual([])
  expect(grants.filter(({ system }) => !REGISTRY.some((known) => known.system === system))).toEqual([])
  const tools = named('toolbox', 'tools') as string[]
  expect(tools.length).toBeGreaterThan(10)
  expect(tools.filter((name) => toolNamed(name)?.grant !== 'REQUESTABLE')).toEqual([])
  const actions = agents.flatMap(({ actions: list }) => (list ?? []) as { type: string }[])
  expect(actions.length).toBeGreaterThan(0)
  expect(actions.filter(({ type }) => !toolNamed(type))).toEqual([])
})

test('the demo has technicians in every state, deleted and not, on each of its schedules and on none', async () => {
  const technicians = await seeded.prisma.technicianProfile.findMany()
  const schedules = await seeded.prisma.technicianSchedule.findMany()
  expect(distinct(technicians, 'profile_status')).toEqual(Object.keys(ProfileStatus).sort())
  expect(distinct(technicians, 'schedule_id')).toEqual([...schedules.map(({ id }) => id).sort(), null])
  for (const technician of technicians) expect(technician.is_ready).toBe(isReady(technician))
  expect(technicians.filter(({ deleted_at }) => deleted_at)).toHaveLength(1)
  for (const { windows } of schedules)
    expect(validateWindows(windows as unknown as Window[])).toEqual({ windows })
})

test('the calls of the demo that wait for approval are those of admins, and what was approved was done', async () => {
  const { prisma } = seeded
  const users = await prisma.tenantUser.findMany({ where: { role: { in: ['OWNER', 'ADMIN'] } } })
  const admins = users.map(({ id }) => id)
  const asked = await prisma.tilRequest.findMany({ where: { kind: 'API_REQUEST' } })
  expect(asked.map(({ status }) => status).sort()).toEqual(['APPROVED', 'EXPIRED', 'PENDING', 'REJECTED'])
  for (const { requested_by_id, status, closed_at, ...request } of asked) {
    expect(admins).toContain(requested_by_id)
    const { profile_id, schedule_id, input } = request.arguments as Record<string, unknown>
    if (status === 'PENDING') {
      const technician = await prisma.technicianProfile.findFirst({ where: { id: Number(profile_id) } })
      expect([technician?.deleted_at, request.title]).toEqual([
        null,
        `Delete the technician ${technician?.name}`,
      ])
    }
    if (status !== 'APPROVED') continue
    const schedule = await prisma.technicianSchedule.findFirst({ where: { id: Number(schedule_id) } })
    expect(schedule).toMatchObject({
      ...(input as object),
      updated_at: closed_at,
      updated_by_user: request.decided_by_name,
    })
  }
})

test('the run that the story tries is of a ticket that nobody has worked on', async () => {
  const story = await readFile(new URL('../../docs/an-agent-at-work.md', import.meta.url), 'utf8')
  const [, agent_id, entity_id] = /agents\/(\d+)\/run-now -d '{"entity_id":"(\d+)"/.exec(story) ?? []
  const { prisma } = seeded
  expect(await prisma.psaTicket.findMany({ where: { ticket_id: entity_id ?? '' } })).toMatchObject([
    { status: 'New', closed_at: null },
  ])
  expect(await prisma.execution.count({ where: { entity_id: entity_id ?? '' } })).toBe(0)
  const agent = await prisma.agent.findFirst({ where: { id: Number(agent_id) } })
  expect([agent?.state, agent?.entity_type]).toEqual(['ACTIVE', 'TICKET'])
})

test('the memories of the demo have a history that can be', async () => {
  const memories = await seeded.prisma.agentMemory.findMany()
  const byId = new Map(memories.map((memory) => [memory.id, memory]))
  expect(distinct(memories, 'state')).toEqual(['ACTIVE', 'DELETED', 'SUPERSEDED'])
  for (const memory of memories) {
    const { created_at, pinned_at, last_confirmed_at, deleted_at, supersedes_id } = memory
    const touched = [pinned_at, last_confirmed_at, deleted_at].flatMap((at) => at ?? [])
    expect(touched.filter((at) => at < created_at || at > MORNING)).toEqual([])
    expect(memory.revision > 1).toBe(touched.length > 0 || memory.superseded_by !== null)
    if (last_confirmed_at) expect(memory.confidence).toBeGreaterThanOrEqual(0.95)
    const before = byId.get(supersedes_id ?? '')
    expect(before === undefined).toBe(supersedes_id === null)
    if (!before) continue
    expect(before).toMatchObject({ state: 'SUPERSEDED', superseded_by: memory.id, updated_at: created_at })
    expect([before.content === memory.content, before.created_at < created_at]).toEqual([false, true])
  }
})

test('the demo has channels in every status, each as its transport allows and newer than its agent', async () => {
  const channels = await seeded.prisma.channel.findMany({ include: { agent: true, installs: true } })
  expect(distinct(channels, 'status')).toEqual(Object.keys(ChannelStatus).sort())
  const installs = channels.flatMap((channel) => channel.installs)
  expect(distinct(installs, 'status')).toEqual(Object.keys(ChannelInstallStatus).sort())
  for (const channel of channels) {
    const { agent, created_at, updated_at } = channel
    expect([channel.id, transportProblems(channel), agentProblem(agent)]).toEqual([channel.id, [], null])
    expect(agent.created_at < created_at && created_at < updated_at).toBe(true)
    expect(channel.installs.every(({ installed_at }) => installed_at > created_at)).toBe(true)
    if (channel.status !== 'ACTIVE') expect((channel.last_message_at ?? created_at) < updated_at).toBe(true)
  }
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
    expect(created_at.getTime()).toBeLessThanOrEqual(MORNING.getTime())
    expect((finished_at ?? MORNING).getTime()).toBeLessThanOrEqual(MORNING.getTime())
    expect(retry_of !== null).toBe(one.trigger === 'RETRY')
    if (retry_of) expect([retry_of.agent_id, retry_of.created_at < created_at]).toEqual([one.agent_id, true])
    expect(one.failure_kind !== null).toBe(one.status === 'FAILED' || one.status === 'TIMED_OUT')
  }
  expect(await prisma.creditEntry.count({ where: { agent_id: 6 } })).toBeGreaterThan(100)
  expect(await prisma.ticketsReceived.count()).toBeGreaterThan(35 * 24 * 4)
})

test('a new agent gets an id that no agent of the demo has, in a second environment too', async () => {
  const other = { ...OPTIONS, environment: 'staging', demo_api_key: `svc_sk_staging_${'s'.repeat(46)}` }
  await seedDemo(raced, { ...other, key_pepper: 'other' })
  const { prisma } = raced
  const [first] = await prisma.agent.findMany({ where: { environment: 'staging', id: 1 } })
  const { id: _, sort_name: __, ...rest } = first ?? {}
  const made = await prisma.agent.create({ data: { ...rest, name: 'Another' } as never })
  expect(made.id).toBeGreaterThan(8)
})

test('the demo may still send the five integration requests of a week', async () => {
  const since = new Date(MORNING.getTime() - 7 * 86_400_000)
  expect(await seeded.prisma.integrationRequest.count({ where: { created_at: { gt: since } } })).toBe(0)
})

test('the demo key follows the secrets of the process, until somebody has revoked it', async () => {
  const moved = { ...OPTIONS, demo_api_key: `svc_sk_dev_${'e'.repeat(46)}`, key_pepper: 'other' }
  expect((await seedDemo(raced, moved)).api_key).toBe(moved.demo_api_key)
  await raced.prisma.apiKey.updateMany({ where: { id: 'key_demo' }, data: { revoked_at: MORNING } })
  expect((await seedDemo(raced, OPTIONS)).api_key).toBeNull()
})

test('the tool calls of the demo are those of its executions, with tools and systems that it has', async () => {
  const { prisma } = seeded
  const [entries, executions, connections] = [
    await prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } }),
    await prisma.execution.findMany({
      where: { started_at: { gte: new Date(MORNING.getTime() - 30 * 86_400_000) } },
    }),
    await prisma.integrationConnection.findMany({ where: { connected: true } }),
  ]
  expect(entries.length).toBeGreaterThan(3000)
  const byId = new Map(executions.map((execution) => [execution.execution_id, execution]))
  const connected = REGISTRY.filter(({ name }) => connections.some((one) => one.name === name))
  const wrong = entries.filter((entry) => {
    const execution = byId.get(entry.execution_id ?? '')
    const tool = toolNamed(entry.tool_name)
    const run = Number(entry.temporal_run_id?.split('_').at(-1))
    return (
      !execution?.started_at ||
      entry.agent_id !== execution.agent_id ||
      entry.occurred_at < execution.started_at ||
      entry.occurred_at > (execution.finished_at ?? MORNING) ||
      run < 1 ||
      run > execution.run_count ||
      entry.tool_title !== tool?.title ||
      entry.access !== tool.access ||
      (entry.system !== null && !connected.some(({ system }) => system === entry.system)) ||
      (entry.outcome === 'PENDING_APPROVAL') !== (entry.til_request_id !== null && !entry.decided_by_name)
    )
  })
  expect(wrong).toEqual([])
  const times = entries.map(({ occurred_at }) => occurred_at.getTime())
  expect(times).toEqual([...times].sort((a, b) => a - b))
  const worked = executions
    .filter(({ status }) => status === 'COMPLETED')
    .map(({ execution_id }) => execution_id)
  const called = new Set(entries.map(({ execution_id }) => execution_id))
  expect(worked.filter((id) => !called.has(id))).toEqual([])
  expect(new Set(entries.map(({ outcome }) => outcome))).toEqual(new Set(Object.values(AuditOutcome)))
})

test('the audit log is chained, from the first day to the last', async () => {
  const dateOf = (day: Date | null) => (day ? day.toISOString().slice(0, 10) : null)
  let ended: string | null = null
  for (const { day, previous_day, ...chain } of await seeded.prisma.auditDay.findMany({
    orderBy: { day: 'asc' },
  })) {
    const where = { chain_day: day }
    const rows = await seeded.prisma.auditEntry.findMany({ where, orderBy: { chain_position: 'asc' } })
    const entries = rows.map(
      ({ chain_day: _day, search_text: _text, ...entry }) => convertRow(entry) as ClosedEntry,
    )
    const genesis = genesisOf(chain, {
      ...chain,
      day: dateOf(day) as string,
      previous_day: dateOf(previous_day),
    })
    expect(chain.previous_day_hash).toBe(ended)
    const followed = { position: chain.entries, hash: chain.last_hash }
    expect(follow({ position: 0, hash: genesis }, entries)).toEqual({ followed, broken: null })
    ended = chain.last_hash
  }
  expect(await seeded.prisma.auditEntry.count({ where: { hash: null } })).toBe(0)
})
