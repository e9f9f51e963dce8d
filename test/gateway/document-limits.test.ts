/** The limits of one GraphQL document: each is met from below and from above, with valid documents. */
import { getIntrospectionQuery } from 'graphql'
import { afterAll, describe, expect, it } from 'vitest'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { startApp, testApp } from '../setup/app.ts'
import { fastest } from '../setup/fastest.ts'
import { json } from '../setup/http.ts'
import { countStatements } from '../setup/statements.ts'
import { world } from '../setup/world.ts'

const msp = await world()
await addAgents(msp, [{ id: 1 }])
await addExecutions(msp, [{ execution_id: 'exe_1', agent_id: 1 }])
const { base, database } = await testApp()

const post = (query: string, url = base): Promise<Response> =>
  fetch(`${url}/graphql`, json({ query }, { headers: { authorization: `Bearer ${msp.admin.token}` } }))

// The statements that authenticate are not counted: they are the same for every request.
await post('{ __typename }')

/** The answer to a document, and the number of statements that it took. */
async function ask(query: string) {
  let response = new Response()
  const statements = await countStatements(database, async () => {
    response = await post(query)
  })
  const { data, errors } = await response.json()
  const { code, details } = errors?.[0].extensions ?? {}
  return { status: response.status, data, code, details, statements }
}

const times = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ')

/** A walk from agents to executions and back, so many fields deep. */
function walk(depth: number): string {
  const steps = ['executions(page_size: 1)', 'items', 'agent']
  const path = times(depth - 2, (step) => `${steps[step % steps.length]} {`)
  return `{ agents(page_size: 1) { items { ${path} __typename ${'}'.repeat(depth + 1)}`
}

const agents = (size: number, executions: number): string =>
  `agents(page_size: ${size}) { items { executions(page_size: ${executions}) { items { agent { id } } } } }`

/** 4801 and 197 points for lists in lists, and one for each read of the settings. */
const costing = (points: number): string =>
  `{ a: ${agents(200, 11)} b: ${agents(49, 1)} ${times(points - 4998, (i) => `s${i}: settings { timezone }`)} }`

/** `timezone` in so many tokens: three for each level of nesting. */
function nested(tokens: number): string {
  const levels = Math.floor((tokens - 1) / 3)
  return `${'... { '.repeat(levels)}${'timezone '.repeat(tokens - levels * 3)}${'} '.repeat(levels)}`
}

const settings = (selections: string): string => `{ settings { ${selections} } }`
const schema = (count: number): string => `{ ${times(count, (i) => `s${i}: __schema { __typename }`)} }`

interface Case {
  limit: string
  max: number
  /** A document that asks for so much of it. */
  of: (count: number) => string
}

const LIMITS: Case[] = [
  { limit: 'depth', max: 12, of: (count) => walk(count) },
  { limit: 'cost', max: 5000, of: costing },
  { limit: 'root_fields', max: 10, of: (n) => `{ ${times(n, (i) => `a${i}: settings { timezone }`)} }` },
  { limit: 'aliases', max: 15, of: (n) => settings(times(n, (i) => `a${i}: timezone`)) },
  { limit: 'directives', max: 20, of: (n) => settings(times(n, () => 'timezone @include(if: true)')) },
  { limit: 'introspections', max: 2, of: schema },
  { limit: 'tokens', max: 1500, of: (n) => settings(nested(n - 5)) },
  { limit: 'text', max: 20_000, of: (n) => `${settings('timezone')} #`.padEnd(n, 'x') },
]

describe('the limit of', () => {
  it.each(LIMITS)('$limit lets $max through, and refuses one more before anything runs', async (limit) => {
    const { max } = limit
    const allowed = await ask(limit.of(max))
    expect([allowed.status, allowed.code]).toEqual([200, undefined])
    const refused = await ask(limit.of(max + 1))
    expect(refused).toMatchObject({
      code: 'query_too_complex',
      details: { limit: limit.limit, [`max_${limit.limit}`]: max },
      data: undefined,
      statements: (await ask('{ __typename }')).statements,
    })
  })

  it.each([
    [
      'aliases, in fragments',
      'aliases',
      `{ ...Q } fragment Q on Query { a: settings { ...S } b: settings { ...S } }
       fragment S on TenantSettings { ${times(7, (i) => `a${i}: timezone`)} }`,
    ],
    [
      'aliases, on the schema',
      'aliases',
      `{ __schema { ${times(16, (i) => `a${i}: queryType { name }`)} } }`,
    ],
    [
      'introspections, in fragments',
      'introspections',
      `{ ...Q __schema { __typename } } fragment Q on Query { a: __type(name: "Query") { name } ...R }
       fragment R on Query { ... { b: __schema { __typename } } }`,
    ],
    ['tokens, by nesting', 'tokens', settings(nested(2100))],
  ])('%s is met too', async (_what, limit, query) => {
    expect(await ask(query)).toMatchObject({ code: 'query_too_complex', details: { limit } })
  })

  it('depth and cost does not count fragments that multiply one by one', async () => {
    const levels = times(20, (i) => `fragment f${i} on TenantSettings { ...f${i + 1} ...f${i + 1} }`)
    const query = `{ settings { ...f0 } } ${levels} fragment f20 on TenantSettings { timezone }`
    // Each text is another one: those that are known are not judged again.
    const ms = await fastest(async (run) => {
      const { data } = await ask(`${query} # ${run}`)
      expect(data).toEqual({ settings: { timezone: null } })
    })
    expect(ms).toBeLessThan(2000)
  })
})

describe('reading the schema', async () => {
  const limited = await startApp(database, { LIMITS: 'graphql_points=1200' })
  afterAll(() => limited.app.close(0))

  it('takes the standard introspection query, which is deeper than other documents may be', async () => {
    const { data } = await ask(getIntrospectionQuery())
    expect(data.__schema.queryType.name).toBe('Query')
  })

  it('costs 500 points each time', async () => {
    const statuses = []
    for (const count of [1, 1, 1]) statuses.push((await post(schema(count), limited.base)).status)
    expect(statuses).toEqual([200, 200, 429])
  })
})
