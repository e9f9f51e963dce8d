/** The first request of a document goes through Yoga, the next ones do not, and then it is compiled. */
import { expect, it } from 'vitest'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { startApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { countStatements } from '../setup/statements.ts'
import { type Caller, world } from '../setup/world.ts'

const TIMES = 7
const msp = await world()
await addAgents(msp, [{ id: 1 }, { id: 2 }, { id: 3, autonomy_type: 'CHAINED_ACTIONS' }])
await addExecutions(
  msp,
  [1, 2, 3, 1, 2, 1].map((agent_id, index) => ({
    execution_id: `exe_${index}`,
    agent_id,
    status: index % 2 ? 'FAILED' : 'COMPLETED',
    created_at: new Date(Date.UTC(2026, 2, 1 + index)),
  })),
)

interface Asked {
  query: string
  variables?: unknown
  operationName?: unknown
  extensions?: unknown
}

interface Options {
  document_cache?: boolean
  caller?: Caller | null
  headers?: Record<string, string>
}

/** The answer of the service to the same request again, without the parts that differ between requests. */
async function answers(
  asked: Asked,
  { caller = msp.admin, headers = {}, document_cache = true }: Options = {},
) {
  const database = await testDatabase()
  const { app, base } = await startApp(database, {}, undefined, { document_cache })
  const authorization = caller ? { authorization: `Bearer ${caller.token}` } : {}
  const init = json(asked, { headers: { ...authorization, ...headers } })
  const told = []
  for (let time = 0; time < TIMES; time++) {
    let response = new Response()
    const statements = await countStatements(database, async () => {
      response = await fetch(`${base}/graphql`, init)
    })
    const { status } = response
    const text = (await response.text()).replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    const names = [...response.headers.keys()].filter(
      (name) => !/^(?:date|connection|keep-alive)$/.test(name),
    )
    told.push({ status, statements, type: response.headers.get('content-type'), names: names.sort(), text })
  }
  await app.close(0)
  return told
}

const LINKS = `query Links($system: CompanyLinkSystem!, $size: Int = 3, $with: Boolean = false) {
  page: company_links(system: $system, page_size: $size) {
    links { external_id mapped_at end_company @include(if: $with) { name } }
    counts { ...All }
    pagination { has_more }
  }
}
fragment All on CompanyLinkCounts { __typename total }`

const COMPANIES =
  '{ end_companies(page_size: 5) { items { name company_links(page_size: 2) { items { system } } } } }'
const BOTH = 'query A { settings { timezone } } query B { me { name } }'

const QUERIES: [name: string, asked: Asked, options?: Options][] = [
  ['one row', { query: '{ settings { timezone start_business_hours } }' }],
  ['a list with variables', { query: LINKS, variables: { system: 'HUDU', with: true } }],
  ['defaults of variables', { query: LINKS, variables: { system: 'HUDU', size: null } }],
  ['a list in a list', { query: COMPANIES }],
  ['several root fields', { query: '{ settings { timezone } me { name } again: settings { timezone } }' }],
  [
    'selections that are merged',
    {
      query: `query ($off: Boolean = true) {
        agents(page_size: 2) { items { id } } agents(page_size: 2) { items { ...A ... @skip(if: $off) { revision } } }
        __typename
      }
      fragment A on Agent { ... on Agent { name ...B } }
      fragment B on Agent { executions(page_size: 1) { items { status agent { name } } } }`,
    },
  ],
  [
    'lists in variables and literals',
    {
      query: `query ($of: [ExecutionStatus!] = [FAILED, NEW], $from: DateTime) {
        a: executions(status: $of, from: $from) { items { execution_id created_at } }
        b: executions(status: COMPLETED, from: "2026-01-01") { pagination { has_more } }
      }`,
      variables: { from: '2026-02-01T00:00:00+02:00' },
    },
  ],
  [
    'a root field that is left out',
    { query: 'query ($on: Boolean!) { settings @include(if: $on) { timezone } }', variables: { on: false } },
  ],
  ['one operation of two', { query: BOTH, operationName: 'B' }],
  ['no operation named of two', { query: BOTH }],
  ['an operation that is not there', { query: BOTH, operationName: 'C' }],
  ['values that are resolved', { query: '{ error_codes { code status } }' }],
  ['names of objects’ own properties', { query: '{ __proto__: settings { constructor: timezone } }' }],
  ['an unset required variable', { query: LINKS }],
  ['a variable of another type', { query: LINKS, variables: { system: 'HUDU', size: 'many' } }],
  ['a value out of bounds', { query: LINKS, variables: { system: 'HUDU', size: 500 } }],
  ['variables that are none', { query: LINKS, variables: [] }],
  ['unknown parameters', { query: '{ settings { timezone } }', extensions: {} }],
  ['a row that is not there', { query: '{ settings { timezone } integration(name: "none") { label } }' }],
  ['a cursor that is none', { query: '{ company_links(system: HUDU, cursor: "x") { counts { total } } }' }],
  ['no credential', { query: '{ settings { timezone } }' }, { caller: null }],
  ['no role', { query: '{ tenant_users { items { name } } }' }, { caller: msp.viewer }],
  [
    'too much',
    {
      query: `{ end_companies(page_size: 200) { items { company_links(page_size: 200) { items { end_company { id } } } } } }`,
    },
  ],
  ['a mutation', { query: 'mutation { update_settings(input: {}) { timezone } }' }],
  [
    'a mutation that is refused',
    {
      query:
        'mutation M($zone: TimeZone) { mine: update_settings(input: { timezone: $zone }) { timezone revision } }',
      variables: { zone: 'No/Where' },
    },
  ],
  [
    'several mutations',
    {
      query: `mutation { a: update_settings(input: {}) { timezone } b: update_settings(input: { timezone: "No" }) { timezone }
        c: update_settings(input: {}) { revision } }`,
    },
  ],
  ['a key for once', { query: '{ settings { timezone } }' }, { headers: { 'idempotency-key': 'x' } }],
  [
    'the type of GraphQL',
    { query: '{ nope: integration(name: "none") { label } }' },
    { headers: { accept: 'application/graphql-response+json, */*' } },
  ],
  [
    'a refusal in the type of GraphQL',
    { query: LINKS },
    { headers: { accept: 'application/graphql-response+json' } },
  ],
  [
    'any type',
    { query: '{ settings { timezone } }' },
    { headers: { accept: 'text/html, application/*;q=0.5' } },
  ],
  [
    'another charset',
    { query: '{ settings { timezone } }' },
    { headers: { accept: 'application/json;charset=latin1' } },
  ],
  ['reading the schema', { query: '{ __schema { queryType { name } } }' }],
]

it.each(QUERIES)(
  '%s is answered alike, and with as many statements, however often it is asked',
  async (_name, asked, options) => {
    const [first, ...others] = await answers(asked, options)
    expect(first?.status).toBeLessThan(500)
    for (const other of others) expect(other).toEqual(first)
    const [uncached] = (await answers(asked, { ...options, document_cache: false })).slice(-1)
    expect(uncached).toEqual(first)
  },
)
