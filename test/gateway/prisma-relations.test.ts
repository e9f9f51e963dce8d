/** Relations of Prisma: what they cost, compiled or not, and for whom they are read. */
import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { published } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { addCompanies, addLinks } from '../setup/companies.ts'
import { graphql } from '../setup/graphql.ts'
import { statementsOf } from '../setup/statements.ts'
import { type Caller, type Msp, world } from '../setup/world.ts'

const ROWS = 50

const numbers = Array.from({ length: ROWS }, (_, n) => n)

/** An MSP with companies, each with a link and a person. */
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

const READS = [
  ['company_link', '(system: HUDU, external_id: "0")'],
  ['end_user', '(end_user_id: "eus_0")'],
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

test.each(READS)('%s is read with its company by one statement, compiled or not', async (name, args) => {
  const msp = await connectedMsp()
  const query = `{ ${name}${args} { id ${COMPANY} } }`
  const alone = await costOf(msp, msp.key, `{ ${name}${args} { id } }`)
  expect(await costOf(msp, msp.key, query)).toEqual(alone)
  const { data } = await graphql(msp.key, query)
  expect(data[name].end_company).toEqual(FIRST)
})

test.each([
  ['company_links', '(system: HUDU, page_size: SIZE)', 'links'],
  ['end_users', '(page_size: SIZE)', 'items'],
])(
  '%s have their companies by one statement for the whole page, compiled or not',
  async (name, args, rows) => {
    const msp = await connectedMsp()
    const query = (size: number, relation = '') =>
      `{ ${name}${args.replace('SIZE', String(size))} { ${rows} { id ${relation} } } }`
    const [alone = 0] = await costOf(msp, msp.key, query(ROWS))
    const expected = RUNS.map(() => alone + 1)
    expect(await costOf(msp, msp.key, query(1, COMPANY))).toEqual(expected)
    expect(await costOf(msp, msp.key, query(ROWS, COMPANY))).toEqual(expected)
    const { data } = await graphql(msp.key, query(ROWS, COMPANY))
    expect(data[name][rows].map((row: { end_company: object }) => row.end_company)).toContainEqual(FIRST)
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

test('a relation is not read for a caller who may not walk it', async () => {
  const msp = await connectedMsp()
  const key = await msp.newKey({ scopes: ['end_users:read'] })
  const query = `{ end_user(end_user_id: "eus_0") { id ${COMPANY} } }`
  for (const _run of RUNS) {
    const sent = await statementsOf(msp.database, async () => {
      expect((await graphql(key, query)).code).toBe('insufficient_scope')
    })
    expect(sent.filter(({ text }) => text.includes('end_company"'))).toEqual([])
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
