import type { GraphQLError } from 'graphql'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { statement } from '../../src/db/sql.ts'
import { addAgents } from '../setup/agents.ts'
import { startApp, testApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { overheard } from '../setup/log.ts'
import { until } from '../setup/until.ts'
import { type Caller, world } from '../setup/world.ts'

const TIMEOUT_MS = 300

const never = () => new Promise<never>(() => {})

const lost = () => Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }))

/** The service on a database that takes requests and does `instead` of answering the statements named. */
async function without(
  statements: RegExp,
  instead: () => Promise<never>,
  overrides: Record<string, string> = {},
) {
  const database = await testDatabase()
  const broken: typeof database = {
    ...database,
    ping: instead,
    transaction: statements.test('transaction') ? instead : database.transaction,
    sql: {
      rows: (statement, values) =>
        statements.test(statement.name) ? instead() : database.sql.rows(statement, values),
    },
  }
  const { app, base } = await startApp(broken, overrides)
  return { base, stop: () => void app.close(0) }
}

const hanging = (statements: RegExp) => without(statements, never, { REQUEST_TIMEOUT_MS: String(TIMEOUT_MS) })

it.each([
  ['the credential is looked up', /api_keys?_by_hash|tenant_user_by_subject/],
  ['the limits are counted', /rate_bucket/],
  ['the operation reads', /settings/],
])(
  'a database that hangs while %s is 503 with Retry-After through both interfaces',
  async (_when, statements) => {
    const msp = await world()
    const { base, stop } = await hanging(statements)
    for (const { token } of [msp.key, msp.admin]) {
      const headers = { authorization: `Bearer ${token}` }
      const started = performance.now()
      const rest = await fetch(`${base}/public-api/settings`, { headers })
      expect([rest.status, rest.headers.get('retry-after')]).toEqual([503, '1'])
      expect((await rest.json()).error.code).toBe('service_unavailable')
      const graphql = await fetch(
        `${base}/graphql`,
        json({ query: '{ settings { timezone } }' }, { headers }),
      )
      expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, '1'])
      expect((await graphql.json()).errors[0].extensions.code).toBe('service_unavailable')
      expect(performance.now() - started).toBeLessThan(10_000)
    }
    stop()
  },
)

it('an error that nobody expected is 500, through both interfaces', async () => {
  const { admin } = await world()
  const { base, stop } = await without(/settings/, () => Promise.reject(new Error('a fault')))
  const headers = { authorization: `Bearer ${admin.token}` }
  const rest = await fetch(`${base}/public-api/settings`, { headers })
  expect([rest.status, (await rest.json()).error.code]).toEqual([500, 'internal_error'])
  const graphql = await fetch(`${base}/graphql`, json({ query: '{ settings { timezone } }' }, { headers }))
  expect((await graphql.json()).errors[0].extensions).toMatchObject({ code: 'internal_error', status: 500 })
  stop()
})

describe('a database that is lost while GraphQL reads', async () => {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  const { base, stop } = await without(/settings|transaction/, lost)
  afterAll(stop)

  /** More often than it takes until the document is compiled. */
  async function ask(query: string, { token }: Caller, headers: Record<string, string> = {}) {
    const answers = []
    for (let time = 0; time < 6; time++) {
      const init = json({ query }, { headers: { authorization: `Bearer ${token}`, ...headers } })
      const response = await fetch(`${base}/graphql`, init)
      const { data, errors } = await response.json()
      const codes = errors.map(({ extensions }: GraphQLError) => [extensions.code, extensions.status]).sort()
      answers.push({ status: response.status, retry: response.headers.get('retry-after'), data, codes })
    }
    const [first] = answers
    for (const answer of answers) expect(answer).toEqual(first)
    return first
  }

  const UNAVAILABLE = ['service_unavailable', 503]

  it.each(['application/json', 'application/graphql-response+json'])(
    'is 503 with Retry-After if nothing else was answered, in %s',
    async (accept) => {
      expect(await ask('{ settings { timezone } }', msp.admin, { accept })).toEqual({
        status: 503,
        retry: '5',
        data: { settings: null },
        codes: [UNAVAILABLE],
      })
      const query = '{ settings { timezone } again: settings { timezone } }'
      expect(await ask(query, msp.admin, { accept })).toMatchObject({
        status: 503,
        retry: '5',
        codes: [UNAVAILABLE, UNAVAILABLE],
      })
    },
  )

  it('is 200 beside the data of other fields, and beside other refusals', async () => {
    const partial = { status: 200, retry: null }
    const beside = await ask('{ settings { timezone } me { tenant_id } }', msp.admin)
    expect(beside).toMatchObject({ ...partial, data: { me: { tenant_id: msp.tenant_id } } })
    const refused = await ask('{ settings { timezone } integration(name: "none") { label } }', msp.admin)
    expect(refused).toMatchObject({ ...partial, codes: [UNAVAILABLE, ['unknown_integration', 404]] })
  })

  it('is 503 to a mutation, with an Idempotency-Key or without', async () => {
    const query = 'mutation { update_settings(input: {}) { timezone } }'
    for (const headers of [{}, { 'idempotency-key': 'k' }] as Record<string, string>[]) {
      const answer = await ask(query, msp.admin, headers)
      expect(answer).toMatchObject({ status: 503, retry: '5', codes: [UNAVAILABLE] })
    }
  })
})

it.each([
  ['the key ends', 'api_key', 'expires_at'],
  ['an agent was made', 'agent', 'created_at'],
])('a time that cannot be read is 503 and logged with its cause: when %s', async (_when, table, column) => {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  const infinite = statement(
    `test.infinite.${table}`,
    `update ${table} set ${column} = 'infinity' where tenant_id = $1`,
  )
  await msp.database.sql.rows(infinite, [msp.tenant_id])
  const { base, lines, log } = await overheard()
  onTestFinished(async () => void (await log()))
  const headers = { authorization: `Bearer ${msp.key.token}` }
  const rest = await fetch(`${base}/public-api/agents/1`, { headers })
  expect([rest.status, rest.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await rest.json()).error.code).toBe('service_unavailable')
  const query = '{ agent(agent_id: 1) { created_at } }'
  const graphql = await fetch(`${base}/graphql`, json({ query }, { headers }))
  expect([graphql.status, (await graphql.json()).errors[0].extensions.code]).toEqual([
    503,
    'service_unavailable',
  ])
  const failed = () => lines().filter(({ msg }) => msg === 'request failed')
  await until(() => failed().length === 2)
  const err = { message: expect.stringMatching(/The database sent a time that cannot be read: infinity$/) }
  for (const line of failed()) expect(line).toMatchObject({ code: 'service_unavailable', err })
})

it('a refusal that only the execution meets is the status of the answer', async () => {
  const msp = await world()
  await addAgents(msp, [{ id: 1 }])
  const { base } = await testApp()
  const { token } = await msp.newKey({ scopes: ['agents:read'] })
  const query = '{ agents { items { executions { items { execution_id } } } } }'
  const response = await fetch(
    `${base}/graphql`,
    json({ query }, { headers: { authorization: `Bearer ${token}` } }),
  )
  const { errors } = await response.json()
  expect([response.status, errors[0].extensions.code]).toEqual([403, 'insufficient_scope'])
})

it('a database that hangs makes /readyz 503, in time, and leaves /livez alone', async () => {
  const { base, stop } = await hanging(/./)
  const ready = await fetch(`${base}/readyz`)
  expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await fetch(`${base}/livez`)).status).toBe(200)
  stop()
})
