import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { ENVIRONMENT, type Running, startApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { overheard } from '../setup/log.ts'
import { until } from '../setup/until.ts'
import { type Caller, world } from '../setup/world.ts'

const running: Running[] = []

async function serviceOn(
  changes: Partial<Database>,
  overrides: Record<string, string> = {},
): Promise<Running> {
  const service = await startApp({ ...(await testDatabase()), ...changes }, overrides)
  running.push(service)
  return service
}

afterAll(async () => {
  await Promise.all(running.map(({ app }) => app.close(1000)))
})

const bearer = (caller: Caller | null) => (caller ? { authorization: `Bearer ${caller.token}` } : {})

/** The line of one request, or of one error. */
async function lineOf(lines: () => Record<string, unknown>[], request_id: string, msg: string) {
  const found = () => lines().find((line) => line.request_id === request_id && line.msg === msg)
  await until(() => found() !== undefined)
  return found()
}

const BAD_KEY = { id: 'nobody', token: `svc_sk_${ENVIRONMENT}_${'x'.repeat(40)}` }

describe('the log', () => {
  it('has a line for a wrong token at /metrics, and none for a probe that is answered', async () => {
    const METRICS_TOKEN = 'a token for metrics only'
    const { base, lines } = await overheard(undefined, { METRICS_TOKEN })
    const ask = async (path: string, token: string) => {
      const request_id = randomUUID()
      const headers = { authorization: `Bearer ${token}`, 'x-request-id': request_id }
      const response = await fetch(base + path, { headers })
      return { request_id, status: response.status, text: await response.text() }
    }
    const answered = [await ask('/livez', ''), await ask('/metrics', METRICS_TOKEN)]
    const refused = await ask('/metrics', 'another')
    expect([...answered, refused].map(({ status }) => status)).toEqual([200, 200, 401])
    const line = await lineOf(lines, refused.request_id, 'request')
    expect(line).toMatchObject({ method: 'GET', status: 401, code: 'unauthenticated', complete: true })
    for (const { request_id } of answered) {
      expect(lines().filter((other) => other.request_id === request_id)).toEqual([])
    }
    expect((await ask('/metrics', METRICS_TOKEN)).text).toMatch(/code="unauthenticated"/)
  })

  it('says of every refused request with which code, through both interfaces', async () => {
    const msp = await world()
    const { base, lines, log } = await overheard()
    const ask = async (path: string, init: RequestInit, caller: Caller | null) => {
      const request_id = randomUUID()
      const headers = { ...init.headers, ...bearer(caller), 'x-request-id': request_id }
      const { status } = await fetch(base + path, { ...init, headers })
      const line = await lineOf(lines, request_id, 'request')
      return [status, line?.operation, line?.code]
    }
    const graphql = (query: string) => json({ query })
    const rename = 'mutation { update_settings(input: { human_friendly_client_name: "X" }) { timezone } }'
    const answers = [
      await ask('/public-api/nothing', {}, null),
      await ask('/public-api/settings', {}, null),
      await ask('/public-api/settings', {}, BAD_KEY),
      await ask('/public-api/settings', json({ timezone: 'X' }, { method: 'PUT' }), msp.viewer),
      await ask('/public-api/settings', json('{', { method: 'PUT' }), msp.admin),
      await ask('/public-api/openapi.json', { method: 'POST' }, null),
      await ask('/public-api/settings', {}, msp.admin),
      await ask('/graphql', graphql('{ settings { timezone } }'), null),
      await ask('/graphql', graphql('{ settings { timezone } }'), BAD_KEY),
      await ask('/graphql', graphql(rename), msp.viewer),
      await ask('/graphql', graphql('{ agent(agent_id: 0) { name } }'), msp.admin),
      await ask('/graphql', graphql('{'), msp.admin),
      await ask('/graphql', graphql('{ nothing }'), msp.admin),
      await ask('/graphql', json('{'), msp.admin),
      await ask('/graphql', graphql('{ settings { timezone } }'), msp.admin),
    ]
    expect(answers).toEqual([
      [404, 'none', 'not_found'],
      [401, 'settings', 'unauthenticated'],
      [401, 'settings', 'invalid_credentials'],
      [403, 'update_settings', 'forbidden'],
      [400, 'update_settings', 'bad_request'],
      [405, 'none', 'method_not_allowed'],
      [200, 'settings', undefined],
      [401, 'settings', 'unauthenticated'],
      [401, 'none', 'invalid_credentials'],
      [403, 'update_settings', 'forbidden'],
      [200, 'agent', 'agent_not_found'],
      [200, 'none', 'graphql_parse_failed'],
      [200, 'none', 'graphql_validation_failed'],
      [400, 'none', 'bad_request'],
      [200, 'settings', undefined],
    ])
    await log()
  })

  it('has a line for a request to another host', async () => {
    const { base, lines, log } = await overheard(testDatabase(), { ALLOWED_HOSTS: 'api.example' })
    const request_id = randomUUID()
    await fetch(`${base}/public-api/health`, { headers: { 'x-request-id': request_id } })
    expect(await lineOf(lines, request_id, 'request')).toMatchObject({ status: 400, code: 'bad_request' })
    await log()
  })

  it.each([
    ['an outage', Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }), 'service_unavailable'],
    ['an error that nobody expected', new Error('a fault'), 'internal_error'],
  ])('has one line for %s, with the request, the operation and the code', async (_name, fault, code) => {
    const msp = await world()
    const database = await testDatabase()
    const rows: Database['sql']['rows'] = (statement, values) =>
      /^settings/.test(statement.name) ? Promise.reject(fault) : database.sql.rows(statement, values)
    const { base, lines, log } = await overheard({ ...database, sql: { rows } })
    const asked: string[] = []
    const ask = async (path: string, init: RequestInit) => {
      const request_id = randomUUID()
      asked.push(request_id)
      await fetch(base + path, {
        ...init,
        headers: { ...init.headers, ...bearer(msp.admin), 'x-request-id': request_id },
      })
      expect(await lineOf(lines, request_id, 'request')).toMatchObject({ operation: 'settings', code })
    }
    await ask('/public-api/settings', {})
    await ask('/graphql', json({ query: '{ settings { timezone } }' }))
    const errors = lines().filter(({ msg }) => msg === 'request failed')
    const line = { level: 50, operation: 'settings', code, err: { message: fault.message } }
    expect(errors).toMatchObject(asked.map((request_id) => ({ ...line, request_id })))
    await log()
  })
})

describe('metrics', () => {
  const metricsOf = async ({ base }: Running) => await (await fetch(`${base}/metrics`)).text()

  it('tell requests by their error code, GraphQL’s too', async () => {
    const msp = await world()
    const service = await serviceOn({})
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(service.base + path, { ...init, headers: { ...init.headers, ...bearer(msp.admin) } })
    await ask('/graphql', json({ query: '{ agent(agent_id: 0) { name } }' }))
    await ask('/public-api/agents/0')
    await ask('/public-api/settings')
    const metrics = await metricsOf(service)
    const count = (labels: string) => `http_request_duration_seconds_count{${labels}} 1\n`
    for (const labels of [
      'interface="graphql",operation="agent",status="200",code="agent_not_found"',
      'interface="rest",operation="agent",status="404",code="agent_not_found"',
      'interface="rest",operation="settings",status="200",code=""',
    ]) {
      expect(metrics).toContain(count(labels))
    }
  })

  it('count refusals by limit, and refused credentials by code', async () => {
    const msp = await world()
    const service = await serviceOn({}, { LIMITS: 'graphql_points=1' })
    const graphql = (caller: Caller, query: string) =>
      fetch(`${service.base}/graphql`, json({ query }, { headers: bearer(caller) }))
    for (let i = 0; i < 3; i++)
      await fetch(`${service.base}/public-api/settings`, { headers: bearer(BAD_KEY) })
    await graphql(BAD_KEY, '{ settings { timezone } }')
    await graphql(msp.key, '{ company_links(system: HUDU) { links { external_id } } }')
    const metrics = await metricsOf(service)
    expect(metrics).toContain('refused_credentials_total{code="invalid_credentials"} 4\n')
    expect(metrics).toContain('rate_limited_requests_total{scope="KEY"} 1\n')
  })

  it('tell how busy the service and its database are', async () => {
    const msp = await world()
    const database = await testDatabase()
    let release = () => {}
    const held = new Promise<void>((done) => {
      release = done
    })
    const rows: Database['sql']['rows'] = async (statement, values) => {
      if (/^settings/.test(statement.name)) await held
      return await database.sql.rows(statement, values)
    }
    const service = await serviceOn({ sql: { rows } })
    const answering = fetch(`${service.base}/public-api/settings`, { headers: bearer(msp.key) })
    for (;;) if (/^http_requests_in_flight 1$/m.test(await metricsOf(service))) break
    release()
    await (await answering).text()
    const metrics = await metricsOf(service)
    expect(metrics).toMatch(/^http_requests_in_flight 0$/m)
    expect(metrics).toMatch(/^db_connections [1-9]\d*$/m)
    expect(metrics).toMatch(/^db_connections_idle \d+$/m)
    expect(metrics).toMatch(/^db_waiting 0$/m)
    expect(metrics).toMatch(/^log_lines_dropped_total 0$/m)
  })

  it('tell how many statements wait for a connection', async () => {
    const database = await testDatabase()
    const one = { name: 'one', text: 'select 1' }
    const answering = Array.from({ length: 20 }, () => database.sql.rows(one, []))
    await Promise.resolve()
    expect(database.load().waiting).toBeGreaterThanOrEqual(10)
    await Promise.all(answering)
    await expect.poll(() => database.load().waiting).toBe(0)
  })
})

describe('the times of a request', () => {
  /** As `Server-Timing` says them, in hundredths of a millisecond. */
  function timesOf(response: Response): Record<string, number> {
    const header = response.headers.get('server-timing') ?? ''
    const parts = [...header.matchAll(/(\w+);dur=([\d.]+)/g)]
    return Object.fromEntries(parts.map(([, name, ms]) => [name, Math.round(Number(ms) * 100)]))
  }

  let service: Running
  let headers: Record<string, string>

  beforeAll(async () => {
    const msp = await world()
    headers = bearer(msp.key)
    const database = await testDatabase()
    const rows: Database['sql']['rows'] = async (statement, values) => {
      const [result] = await Promise.all([database.sql.rows(statement, values), sleep(20)])
      return result as never
    }
    service = await serviceOn({ sql: { rows } })
  })

  const LIST = '/public-api/company-links?system=HUDU&search=x'
  const FIELDS = ['agents', 'executions', 'end_companies']
  const QUERY = `{ ${FIELDS.map((name) => `${name} { items { __typename } }`).join(' ')} }`

  it.each([
    ['a list with its counts', () => fetch(service.base + LIST, { headers })],
    [
      'fields that are read at once',
      () => fetch(`${service.base}/graphql`, json({ query: QUERY }, { headers })),
    ],
    [
      'a change',
      () =>
        fetch(
          `${service.base}/public-api/settings`,
          json({ human_friendly_client_name: randomUUID() }, { method: 'PUT', headers }),
        ),
    ],
  ])('of %s do not add up to more than its whole time', async (_name, ask) => {
    for (let round = 0; round < 10; round++) {
      const response = await ask()
      expect(response.status).toBe(200)
      await response.text()
      const { total = 0, auth = 0, db = 0 } = timesOf(response)
      expect(auth).toBeGreaterThan(0)
      expect(db).toBeGreaterThan(0)
      expect(auth + db).toBeLessThanOrEqual(total)
    }
  })
})
