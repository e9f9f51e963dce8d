import { afterAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { operationId } from '../../src/gateway/operation-id.ts'
import { describeApi, published } from '../setup/api.ts'
import { ENVIRONMENT, type Running, startApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { request } from '../setup/http.ts'
import { ownRows } from '../setup/suites/own-rows.ts'
import { world } from '../setup/world.ts'

const started: Running[] = []
/** Those of strangers: limits of an address are never those of another test. */
let addresses = 0

/** The service on a database that answers otherwise. */
async function serviceOn(
  changes: Partial<Database>,
  overrides: Record<string, string> = {},
  elapsed?: () => number,
): Promise<Running> {
  const database = { ...(await testDatabase()), ...changes }
  const running = await startApp(database, overrides, undefined, elapsed && { elapsed })
  started.push(running)
  return running
}

afterAll(async () => {
  for (const { app } of started) await app.close(100)
})

const never = () => new Promise<never>(() => {})
const refused = () => Promise.reject(new Error('connect ECONNREFUSED'))

describeApi('health', (api) => {
  it('is told to anyone, without what it is made of', async () => {
    const { status, data } = await api.call(null, 'health')
    expect([status, data]).toEqual([
      200,
      {
        status: expect.stringMatching(/^(OK|DEGRADED)$/),
        version: '1.0.0',
        environment: ENVIRONMENT,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        checks: null,
      },
    ])
  })

  it('is told in detail to every caller with a credential', async () => {
    const msp = await world()
    for (const caller of [msp.viewer, await msp.newKey({ scopes: [] })]) {
      const { data } = await api.call(caller, 'health')
      expect(data.checks).toEqual({
        database: { status: expect.stringMatching(/^(OK|DEGRADED)$/), latency_ms: expect.any(Number) },
      })
    }
  })

  it('is not told to a bad credential', async () => {
    const bad = { id: 'nobody', token: `svc_sk_${ENVIRONMENT}_${'x'.repeat(40)}` }
    const { status, error } = await api.call(bad, 'health')
    expect([status, error?.code]).toEqual([401, 'invalid_credentials'])
  })
})

describe('health over REST', () => {
  const health = async (base: string, headers: Record<string, string> = {}) => {
    const since = performance.now()
    const response = await fetch(`${base}/public-api/health`, { headers })
    const ms = performance.now() - since
    return { ms, status: response.status, body: await response.json() }
  }

  it.each([
    ['refuses', refused],
    ['hangs', never],
  ])('is DOWN, with 200 and within about a second, when the database %s', async (_what, answer) => {
    const { base } = await serviceOn({ ping: answer, sql: { rows: answer } })
    const { ms, status, body } = await health(base)
    expect([status, body.data.status, body.data.checks]).toEqual([200, 'DOWN', null])
    // Far less than the timeout of a request, on a machine that pauses now and then.
    expect(ms).toBeLessThan(8000)
  })

  it.each([
    [250, 'OK'],
    [251, 'DEGRADED'],
  ])('after %s milliseconds of the database is %s', async (latency_ms, status) => {
    const msp = await world()
    let at = 0
    const ping = async () => {
      at += latency_ms
    }
    const { base } = await serviceOn({ ping }, {}, () => at)
    const { body } = await health(base, { authorization: `Bearer ${msp.key.token}` })
    expect([body.data.status, body.data.checks]).toEqual([status, { database: { status, latency_ms } }])
  })

  it('asks the database once for everybody who wants to know at the time', async () => {
    let asked = 0
    const ping = async () => {
      asked++
    }
    const { base } = await serviceOn({ ping })
    const answers = await Promise.all(Array.from({ length: 10 }, () => health(base)))
    const seconds = Math.max(...answers.map(({ ms }) => ms)) / 1000
    // Once a second, and the ten come within one.
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThanOrEqual(Math.ceil(seconds))
  })

  it('costs a stranger nothing of their limit, and a bad credential counts', async () => {
    const LIMITS = 'anonymous_ip=2,failed_credentials_ip=2'
    const { base } = await serviceOn({}, { LIMITS, TRUSTED_PROXIES: '127.0.0.0/8' })
    const address = { 'x-forwarded-for': `203.0.113.${++addresses}` }
    for (let call = 0; call < 5; call++) expect((await health(base, address)).status).toBe(200)
    const bad = { ...address, authorization: 'Bearer svc_sk_test_nonsense' }
    const statuses: number[] = []
    // A call that waits half a second for the database is let in.
    while (statuses.length < 6 && !statuses.includes(429)) statuses.push((await health(base, bad)).status)
    expect(statuses.slice(0, 2)).toEqual([401, 401])
    expect(statuses.at(-1)).toBe(429)
  })
})

describeApi('discovery', (api) => {
  it('tells a key who it is, what it may do and what counts against it', async () => {
    const msp = await world()
    const key = await msp.newKey({ scopes: ['settings:read', 'integrations:read'] })
    const { data } = await api.call(key, 'discover')
    expect(data.principal).toEqual({
      type: 'API_KEY',
      id: key.id,
      tenant_id: msp.tenant_id,
      environment: ENVIRONMENT,
      role: null,
      acting_user_id: null,
    })
    expect(data.scopes).toEqual(['integrations:read', 'settings:read'])
    const names = data.limits.map(({ name }: { name: string }) => name)
    expect(names).toEqual([
      'service_key',
      'service_key_burst',
      'service_key_writes',
      'tenant',
      'graphql_points',
      'run_now',
      'verify_audit_log',
      'integration_requests',
    ])
    const { operations } = await published()
    type Discovered = { name: string; graphql_field: string }
    expect(data.operations.map(({ name, graphql_field }: Discovered) => [name, graphql_field])).toEqual(
      operations.map((operation) => [operationId(operation), operation.name]),
    )
    expect(data.operations).toContainEqual(
      expect.objectContaining({ name: 'list_agents', graphql_field: 'agents' }),
    )
    expect(data.operations).toContainEqual({
      name: 'update_settings',
      graphql_field: 'update_settings',
      method: 'PUT',
      path: '/public-api/settings',
      allowed: false,
      missing_scopes: ['settings:write'],
      reason: 'insufficient_scope',
      approval_group: null,
    })
  })

  it('tells the acting user of a key, and their role', async () => {
    const msp = await world()
    const key = await msp.newKey({ acting_user_id: msp.user.id })
    const { data } = await api.call(key, 'discover')
    expect(data.principal).toMatchObject({ type: 'API_KEY', role: 'USER', acting_user_id: msp.user.id })
  })

  it('tells a dashboard user', async () => {
    const msp = await world()
    const { data } = await api.call(msp.viewer, 'discover', { resource: 'settings' })
    expect(data.principal).toMatchObject({ type: 'USER', id: msp.viewer.id, role: 'VIEWER' })
    expect(data.operations).toMatchObject([
      { name: 'get_settings', allowed: true, missing_scopes: [], reason: null },
      { name: 'update_settings', allowed: false, missing_scopes: ['settings:write'], reason: 'forbidden' },
    ])
    const names = data.limits.map(({ name }: { name: string }) => name)
    expect(names).toEqual([
      'dashboard_user',
      'dashboard_user_writes',
      'tenant',
      'graphql_points',
      'run_now',
      'verify_audit_log',
      'integration_requests',
    ])
  })

  it('agrees with what calling an operation answers', async () => {
    const msp = await world()
    const key = await msp.newKey({ scopes: ['integrations:read'] })
    const { request_id } = (await ownRows(msp)).ids
    const given: Record<string, object> = {
      integration_request: { request_id },
      request_integration: { input: {} },
    }
    const { data } = await api.call(key, 'discover', { resource: 'integrations' })
    for (const { graphql_field: name, reason } of data.operations) {
      const args = { ...given, integration: { name: 'okta' } }[name as string] ?? {}
      const { error } = await api.call(key, name, args)
      expect(error?.code ?? null).toBe(reason)
    }
  })

  it.each(['nope', 'Settings', ''])('refuses the area %j and names those there are', async (resource) => {
    const msp = await world()
    const { status, error } = await api.call(msp.key, 'discover', { resource })
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([
      { field: 'resource', location: 'query', code: 'enum' },
    ])
    expect(error?.message).toContain('integrations')
  })

  it('needs a credential', async () => {
    const { status, error } = await api.call(null, 'discover')
    expect([status, error?.code]).toEqual([401, 'unauthenticated'])
  })
})

describe('a probe', () => {
  it.each(['/livez', '/readyz'])('%s answers ok outside the public API', async (path) => {
    const response = await request(path)
    expect([response.status, await response.text()]).toEqual([200, 'ok\n'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await request(`/public-api${path}`)).status).toBe(404)
  })

  it('of a process whose database does not answer says that it lives and is not ready', async () => {
    const { base } = await serviceOn({
      ping: () => Promise.reject(Object.assign(new Error(), { code: 'ECONNREFUSED' })),
    })
    expect((await fetch(`${base}/livez`)).status).toBe(200)
    const ready = await fetch(`${base}/readyz`)
    expect(ready.status).toBe(503)
    expect(Number(ready.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ready.json()).error.code).toBe('service_unavailable')
  })

  it('shows metrics to whoever reaches it if no token is set', async () => {
    await request('/public-api/health')
    const response = await request('/metrics')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/plain')
    expect(await response.text()).toMatch(/http_request_duration_seconds_count\{.*operation="health".*\}/)
  })

  it('shows metrics only with the token if one is set', async () => {
    const METRICS_TOKEN = 'a token for metrics only'
    const { base } = await serviceOn({}, { METRICS_TOKEN })
    const metrics = (token?: string) =>
      fetch(`${base}/metrics`, { headers: token ? { authorization: `Bearer ${token}` } : {} })
    const msp = await world()
    const statuses = []
    for (const token of [undefined, 'another token', msp.key.token, METRICS_TOKEN]) {
      statuses.push((await metrics(token)).status)
    }
    expect(statuses).toEqual([401, 401, 401, 200])
  })
})
