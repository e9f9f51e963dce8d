/** Relations of Prisma: what they cost, compiled or not, and for whom they are read. */
import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { addAgents, shareAll } from '../setup/agents.ts'
import { published } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { addChannels } from '../setup/channels.ts'
import { addCompanies, addLinks } from '../setup/companies.ts'
import { graphql } from '../setup/graphql.ts'
import { addScheduledWork } from '../setup/scheduled-work.ts'
import { statementsOf } from '../setup/statements.ts'
import { addSchedules, addTechnicians } from '../setup/technicians.ts'
import { type Caller, type Msp, world } from '../setup/world.ts'

const ROWS = 50

const numbers = Array.from({ length: ROWS }, (_, n) => n)

/** An MSP with companies, agents and technicians, each with the rows that refer to one. */
async function connectedMsp(): Promise<Msp> {
  const msp = await world()
  const { database, tenant_id, environment } = msp
  const [last_synced_at, now] = [new Date('2026-01-02T03:04:05.678Z'), clock.now()]
  await addCompanies(
    msp,
    numbers.map((n) => ({ id: `c${n}`, last_synced_at })),
  )
  await addLinks(
    msp,
    numbers.map((n) => ({ external_id: `${n}`, psa_company_id: `psa_c${n}` })),
  )
  const common = { tenant_id, environment, created_at: now, updated_at: now }
  const people = numbers.map((n) => ({ id: `eus_${n}`, name: `P${n}`, end_company_id: `c${n}` }))
  await database.prisma.endUser.createMany({
    data: people.map((person) => ({ ...common, ...person, psa_contact_id: person.id })),
  })
  const agent_ids = numbers.map((n) => n + 1)
  await addAgents(
    msp,
    agent_ids.map((id) => ({ id })),
  )
  await shareAll(msp, agent_ids, msp.user.id)
  await addChannels(
    msp,
    agent_ids.map((agent_id) => ({ id: `chn_${agent_id}`, agent_id })),
  )
  await addScheduledWork(
    msp,
    agent_ids.map((workflow_id) => ({ workflow_id })),
  )
  const schedule_ids = await addSchedules(
    msp,
    numbers.map((n) => ({ name: `S${n}` })),
  )
  const technician_ids = await addTechnicians(
    msp,
    schedule_ids.map((schedule_id) => ({ schedule_id })),
  )
  const users = technician_ids.map((technician_profile_id, n) => ({
    ...common,
    id: `usr_${n}`,
    subject: `sub_${n}`,
    name: `U${n}`,
    email: `u${n}@example.test`,
    role: 'VIEWER' as const,
    technician_profile_id,
  }))
  await database.prisma.tenantUser.createMany({ data: users })
  return msp
}

const COMPANY = 'end_company { id name status domains last_synced_at }'

const FIRST = {
  id: 'c0',
  name: 'Company c0',
  status: 'ACTIVE',
  domains: [],
  last_synced_at: '2026-01-02T03:04:05.678Z',
}

const TECHNICIAN = 'technician { name skills }'

const FIRST_TECHNICIAN = { name: 'Technician 0', skills: [] }

const READS = [
  ['company_link', '(system: HUDU, external_id: "0")', COMPANY, 'end_company', FIRST],
  ['end_user', '(end_user_id: "eus_0")', COMPANY, 'end_company', FIRST],
  ['tenant_user', '(user_id: "usr_0")', TECHNICIAN, 'technician', FIRST_TECHNICIAN],
] as const

/** A list, its argument beside the size of a page, its rows, and a relation of them with the value of one row. */
const LISTS = [
  ['company_links', 'system: HUDU, ', 'links', COMPANY, 'end_company', FIRST],
  ['end_users', '', 'items', COMPANY, 'end_company', FIRST],
  ['tenant_users', 'search: "example.test", ', 'items', TECHNICIAN, 'technician', FIRST_TECHNICIAN],
  ['scheduled_work', '', 'items', 'agent { id name }', 'agent', { id: 1, name: 'Agent 1' }],
  ['channels', '', 'items', 'agent { id name }', 'agent', { id: 1, name: 'Agent 1' }],
  ['technicians', '', 'items', 'schedule { name timezone }', 'schedule', { name: 'S0', timezone: 'UTC' }],
] as const

/** Documents are compiled at their fourth run. */
const RUNS = [1, 2, 3, 4, 5, 6]

/** The number of statements of each run. */
async function costOf(msp: Msp, caller: Caller, query: string): Promise<number[]> {
  const counts: number[] = []
  for (const _run of RUNS)
    counts.push((await statementsOf(msp.database, () => graphql(caller, query))).length)
  return counts
}

test.each(READS)('%s %s is read with %s by one statement, compiled or not', async (...read) => {
  const [name, args, selection, relation, value] = read
  const msp = await connectedMsp()
  const query = `{ ${name}${args} { id ${selection} } }`
  const alone = await costOf(msp, msp.key, `{ ${name}${args} { id } }`)
  expect(await costOf(msp, msp.key, query)).toEqual(alone)
  const { data } = await graphql(msp.key, query)
  expect(data[name][relation]).toEqual(value)
})

test.each(LISTS)(
  '%s (%spage_size) have in %s %s by one statement for the whole page, compiled or not',
  async (...list) => {
    const [name, args, rows, selection, relation, value] = list
    const msp = await connectedMsp()
    const query = (size: number, walked = '') =>
      `{ ${name}(${args}page_size: ${size}) { ${rows} { id ${walked} } } }`
    const [alone = 0] = await costOf(msp, msp.key, query(ROWS))
    const expected = RUNS.map(() => alone + 1)
    expect(await costOf(msp, msp.key, query(1, selection))).toEqual(expected)
    expect(await costOf(msp, msp.key, query(ROWS, selection))).toEqual(expected)
    const { data } = await graphql(msp.key, query(ROWS, selection))
    expect(data[name][rows]).toHaveLength(ROWS)
    expect(data[name][rows].map((row: Record<string, object>) => row[relation])).toContainEqual(value)
  },
)

const OF_TABLES = [
  ['technician_schedule', 'schedule_id', 'name technician_ids'],
  ['scheduled_work_entry', 'entry_id', 'workflow_name execution_temporal_run_id'],
  ['channel', 'channel_id', 'name'],
] as const

test.each(OF_TABLES)(
  '%s is read by its %s with %s by one statement, by a caller who sees some agents too',
  async (name, argument, selection) => {
    const msp = await connectedMsp()
    const { prisma } = msp.database
    const its = { where: { tenant_id: msp.tenant_id } }
    const ids = {
      technician_schedule: (await prisma.technicianSchedule.findFirstOrThrow(its)).id,
      scheduled_work_entry: (await prisma.scheduledWork.findFirstOrThrow(its)).id,
      channel: 'chn_1',
    }
    const query = `{ ${name}(${argument}: ${JSON.stringify(ids[name])}) { ${selection} } }`
    for (const caller of [msp.key, msp.user]) {
      const one = await costOf(msp, caller, '{ end_user(end_user_id: "eus_0") { name } }')
      expect(await costOf(msp, caller, query)).toEqual(one)
    }
  },
)

test('two rows of one document have their own companies', async () => {
  const msp = await connectedMsp()
  const query = `{ a: end_user(end_user_id: "eus_1") { ${COMPANY} } b: end_user(end_user_id: "eus_2") { name }
    c: company_link(system: HUDU, external_id: "3") { ${COMPANY} } ...F }
    fragment F on Query { d: company_link(system: HUDU, external_id: "4") { ...G } }
    fragment G on CompanyLink { other: end_company { id } }`
  for (const _run of RUNS) {
    const { data } = await graphql(msp.key, query)
    expect([data.a.end_company.id, data.b, data.c.end_company.id, data.d]).toEqual([
      'c1',
      { name: 'P2' },
      'c3',
      { other: { id: 'c4' } },
    ])
  }
})

test.each([
  ['end_users:read', `end_user(end_user_id: "eus_0") { id ${COMPANY} }`, 'end_company"'],
  ['tenant:read', `tenant_user(user_id: "usr_0") { id ${TECHNICIAN} }`, 'technician_profile"'],
] as const)('a relation is not read for a caller with %s who may not walk it', async (scope, read, table) => {
  const msp = await connectedMsp()
  const key = await msp.newKey({ scopes: [scope] })
  const query = `{ ${read} }`
  for (const _run of RUNS) {
    const sent = await statementsOf(msp.database, async () => {
      expect((await graphql(key, query)).code).toBe('insufficient_scope')
    })
    expect(sent.filter(({ text }) => text.includes(table))).toEqual([])
  }
})

const { schema } = await published()

const isIncluded = ({ extensions }: { extensions: Readonly<Record<string, unknown>> }) =>
  Boolean(extensions.pothosPrismaSelect)

/** The relations that Prisma includes. */
const relations = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .flatMap((type) => Object.values(type.getFields()).filter(isIncluded))

test('no relation that Prisma includes leads to another one: a compiled document would read it twice', () => {
  expect(relations.length).toBeGreaterThan(1)
  const below = relations.flatMap(({ name, type }) => {
    const inner = getNamedType(type) as GraphQLObjectType
    return Object.values(inner.getFields()).some(isIncluded) ? [name] : []
  })
  expect(below).toEqual([])
})

test('no relation to a type that some callers do not see is included', () => {
  const apart = ['Agent', 'Execution']
  expect(relations.filter(({ type }) => apart.includes(getNamedType(type).name))).toEqual([])
})
