import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSecret } from '../../src/access/api-key-secret.ts'
import type { Database } from '../../src/db/database.ts'
import { clock, ENVIRONMENT, type Running, signToken, startApp, testApp } from '../setup/app.ts'
import { clientOf } from '../setup/client.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { type Caller, days, world } from '../setup/world.ts'

const SETTINGS = '/public-api/settings'
const running: Running[] = []

/** A service of the test's own, with the limits in question low and the others high. */
async function limited(
  limits: string,
  overrides: Record<string, string> = {},
  database?: Database,
): Promise<Running> {
  const high = [
    'service_key',
    'service_key_writes',
    'dashboard_user',
    'tenant',
    'anonymous_ip',
    'failed_credentials_ip',
    'unknown_credentials_ip',
    'graphql_points',
  ]
  const low = limits.split(',').map((limit) => limit.split('=')[0])
  const rest = high.filter((name) => !low.includes(name)).map((name) => `${name}=1000000`)
  const app = await startApp(database ?? (await testDatabase()), {
    LIMITS: [limits, ...rest].join(','),
    ...overrides,
  })
  running.push(app)
  return app
}

beforeAll(async () => {
  await (await testApp()).app.warm()
})

afterAll(async () => {
  await Promise.all(running.map(({ app }) => app.close(1000)))
  const { database } = await testApp()
  await database.prisma.rateBucket.deleteMany()
})

const get = ({ base }: Running, caller?: Caller, path = SETTINGS) =>
  fetch(base + path, { headers: caller ? { authorization: `Bearer ${caller.token}` } : {} })

const RESPONSE = 'application/graphql-response+json'

const query = (
  { base }: Running,
  caller: Caller,
  text: string,
  headers: Record<string, string> = { accept: RESPONSE },
) =>
  fetch(
    `${base}/graphql`,
    json({ query: text }, { headers: { authorization: `Bearer ${caller.token}`, ...headers } }),
  )

type Ask = (app: Running, caller: Caller) => Promise<Response>

/** The same read through both interfaces. */
const INTERFACES: readonly (readonly [string, Ask])[] = [
  ['rest', (app, caller) => get(app, caller)],
  ['graphql', (app, caller) => query(app, caller, '{ settings { timezone } }')],
]

/** The error, whichever interface answered. */
async function errorOf(response: Response) {
  const { error, errors } = await response.json()
  return error ?? { message: errors[0].message, ...errors[0].extensions }
}

/** The items of the RateLimit header. */
const itemsOf = (headers: Headers) =>
  (headers.get('ratelimit') ?? '').split(', ').map((item) => {
    const [, name = '', r, t] = /^"([a-z-]+)";r=(\d+);t=(\d+)$/.exec(item) ?? []
    return { name, r: Number(r), t: Number(t) }
  })

const CONNECTIONS = 40

/** How many of so many answers had each status, on as many connections as a busy client has. */
async function countsOf(
  times: number,
  ask: (place: number) => Promise<Response>,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  let asked = 0
  const connection = async () => {
    while (asked < times) {
      const response = await ask(asked++)
      await response.text()
      counts.set(response.status, (counts.get(response.status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return counts
}

async function statuses(times: number, ask: () => Promise<Response>): Promise<number[]> {
  const seen: number[] = []
  for (let i = 0; i < times; i++) {
    const response = await ask()
    await response.text()
    seen.push(response.status)
  }
  return seen
}

describe('a used-up limit', () => {
  it('of a key is 429 with the time to come back, through both interfaces', async () => {
    const msp = await world()
    const app = await limited('service_key=60')
    // A burst of a tenth of the quota in one second is what the key may send at once.
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(app, msp.key)))
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(6)
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    const error = (await refused?.json())?.error
    expect(error).toMatchObject({
      code: 'rate_limited',
      details: { name: 'service_key_burst', scope: 'KEY', limit: 6, window_seconds: 1 },
    })
    const graphql = await Promise.all(
      Array.from({ length: 30 }, () => query(app, msp.key, '{ settings { timezone } }')),
    )
    const late = graphql.find(({ status }) => status === 429)
    expect(late?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect((await late?.json())?.errors[0].extensions).toMatchObject({ code: 'rate_limited', status: 429 })
  })

  it('has an item among the others that apply, and its t is Retry-After', async () => {
    const msp = await world()
    const app = await limited('dashboard_user=3,graphql_points=2')
    const points = '{ a: settings { timezone } b: settings { timezone } c: settings { timezone } }'
    const answers = [
      await query(app, msp.admin, points),
      await get(app, msp.admin),
      await get(app, msp.admin),
      await get(app, msp.admin),
    ]
    const policy = '"user";q=3;w=60, "tenant";q=1000000;w=60, "points";q=2;w=60'
    expect(answers.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(Array(4).fill(policy))
    expect(answers.map(({ status }) => status)).toEqual([429, 200, 200, 429])
    const remaining = answers.map(({ headers }) => itemsOf(headers).map(({ name, r }) => `${name} ${r}`))
    expect(remaining).toEqual([
      ['user 2', expect.anything(), 'points 2'],
      ['user 1', expect.anything(), 'points 1'],
      ['user 0', expect.anything(), 'points 0'],
      ['user 0', expect.anything(), 'points 0'],
    ])
    for (const [place, name] of [
      [0, 'points'],
      [3, 'user'],
    ] as const) {
      const { headers } = answers[place] as Response
      expect(itemsOf(headers).find((item) => item.name === name)?.t).toBe(Number(headers.get('retry-after')))
    }
  })

  it.each(INTERFACES)('of a second is told apart from that of a minute (%s)', async (_name, ask) => {
    const msp = await world()
    // A tenth of it in one second.
    const app = await limited('service_key=100')
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(app, msp.key)))
    const late = answers.find(({ status }) => status === 429)
    const { message, details } = await errorOf(late as Response)
    expect(message).toContain('service_key_burst, 10 in a second')
    expect(details).toMatchObject({
      name: 'service_key_burst',
      limit: 10,
      window_seconds: 1,
      retry_after_seconds: 1,
      scope: 'KEY',
    })
    const { headers } = late as Response
    expect(headers.get('ratelimit-policy')).toContain('"key";q=100;w=60, "key-burst";q=10;w=1, "tenant"')
    const burst = itemsOf(headers).find(({ name }) => name === 'key-burst')
    expect([headers.get('retry-after'), burst?.r, burst?.t]).toEqual(['1', 0, 1])
  })

  it('of a key is told with those that its writes count against', async () => {
    const msp = await world()
    const app = await limited('service_key=600')
    const headers = { authorization: `Bearer ${msp.key.token}` }
    const write = await fetch(app.base + SETTINGS, json({}, { method: 'PUT', headers }))
    const mutation = await query(app, msp.key, 'mutation { update_settings(input: {}) { timezone } }')
    const names = ['key', 'key-burst', 'writes', 'tenant', 'points']
    expect(itemsOf(write.headers).map(({ name }) => name)).toEqual(names)
    expect(
      itemsOf(mutation.headers)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort())
    const read = await get(app, msp.key)
    expect(itemsOf(read.headers).map(({ name }) => name)).toEqual(['key', 'key-burst', 'tenant', 'points'])
  })

  it('is the same in the headers, in /tenant/me and in discover', async () => {
    const msp = await world()
    const app = await limited('service_key=600')
    const me = (await (await get(app, msp.key, '/public-api/tenant/me')).json()).data.limits
    const discover = await get(app, msp.key, '/public-api/discover')
    const told = ({ name, limit, window_seconds }: Record<string, unknown>) => [name, limit, window_seconds]
    expect((await discover.json()).data.limits.map(told)).toEqual(me.map(told))
    expect(me.map(told)).toContainEqual(['service_key_burst', 60, 1])
    const policies = discover.headers.get('ratelimit-policy')?.match(/q=\d+;w=\d+/g)
    expect(me.map(told).map(([, q, w]: unknown[]) => `q=${q};w=${w}`)).toEqual(
      expect.arrayContaining(policies ?? []),
    )
  })

  it('refuses before the caller is told what they may not do, and after what is not there', async () => {
    const msp = await world()
    const app = await limited('dashboard_user=1,tenant=1000')
    expect((await get(app, msp.viewer)).status).toBe(200)
    expect((await get(app, msp.viewer, '/public-api/api-keys')).status).toBe(429)
    expect((await query(app, msp.viewer, '{ api_keys { items { id } } }')).status).toBe(429)
    expect((await get(app, msp.viewer, '/public-api/nowhere')).status).toBe(404)
    expect((await fetch(app.base + SETTINGS, { method: 'DELETE' })).status).toBe(405)
  })

  it.each(INTERFACES)('counts what is refused: most of 700 forbidden calls are 429 (%s)', async (name) => {
    const msp = await world()
    const app = await limited('service_key=600')
    const key = await msp.newKey({ scopes: [] })
    const ask = () =>
      name === 'rest' ? get(app, key) : query(app, key, '{ settings { timezone } }', { accept: RESPONSE })
    const started = performance.now()
    const [forbidden, good] = await Promise.all([countsOf(700, ask), countsOf(20, () => get(app, msp.admin))])
    const refilled = Math.ceil(((performance.now() - started) / 1000) * 60)
    expect(forbidden.get(403)).toBeGreaterThan(0)
    expect(forbidden.get(403)).toBeLessThanOrEqual(60 + refilled)
    expect((forbidden.get(403) ?? 0) + (forbidden.get(429) ?? 0)).toBe(700)
    expect([...good]).toEqual([[200, 20]])
  })

  it('counts what is unfit, of what a caller may do', async () => {
    const msp = await world()
    const app = await limited('dashboard_user=3')
    const unfit = () => get(app, msp.admin, '/public-api/company-links?system=NONE')
    expect(await statuses(5, unfit)).toEqual([422, 422, 422, 429, 429])
  })

  it('of points counts a list as the fifty rows that it gives unless told otherwise', async () => {
    const msp = await world()
    const app = await limited('graphql_points=30')
    const left = async (path: string) => {
      const { headers } = await get(app, msp.admin, path)
      return itemsOf(headers).find(({ name }) => name === 'points')?.r ?? 0
    }
    const costs: number[] = []
    let before = await left('/public-api/settings')
    for (const path of [
      '/public-api/settings',
      '/public-api/integrations',
      '/public-api/integrations?page_size=50',
      '/public-api/integrations?page_size=49',
      '/public-api/integrations?page_size=200',
      '/public-api/settings?page_size=200',
    ]) {
      const after = await left(path)
      costs.push(before - after)
      before = after
    }
    expect(costs).toEqual([1, 2, 2, 1, 5, 1])
  })

  it('of writes leaves reads alone', async () => {
    const msp = await world()
    const app = await limited('service_key_writes=3')
    const write = () =>
      fetch(
        app.base + SETTINGS,
        json({}, { method: 'PUT', headers: { authorization: `Bearer ${msp.key.token}` } }),
      )
    expect((await statuses(5, write)).filter((status) => status === 200)).toHaveLength(3)
    expect((await get(app, msp.key)).status).toBe(200)
  })

  it('of a user is another user’s only through the tenant', async () => {
    const msp = await world()
    const app = await limited('dashboard_user=4,tenant=6')
    expect(await statuses(5, () => get(app, msp.admin))).toEqual([200, 200, 200, 200, 429])
    expect((await statuses(3, () => get(app, msp.owner))).filter((status) => status === 200)).toHaveLength(2)
  })

  it('of points counts what a document asks for', async () => {
    const msp = await world()
    const app = await limited('graphql_points=3')
    const three = '{ a: settings { timezone } b: settings { timezone } c: settings { timezone } }'
    expect((await query(app, msp.admin, three)).status).toBe(200)
    expect((await query(app, msp.admin, three)).status).toBe(429)
  })

  it('holds over several processes together', async () => {
    const msp = await world()
    const apps = [await limited('dashboard_user=40'), await limited('dashboard_user=40')]
    const started = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        get(apps[i % 2] as Running, msp.admin).then(({ status }) => status),
      ),
    )
    const refilled = Math.ceil(((performance.now() - started) / 1000) * (40 / 60)) + 1
    const allowed = answers.filter((status) => status === 200).length
    expect(allowed).toBeLessThanOrEqual(40 + refilled)
    expect(allowed).toBeGreaterThanOrEqual(36)
  })
})

let addresses = 0

/** What a proxy adds for a client of an address that no other test has. */
const newAddress = (): Record<string, string> => ({ 'x-forwarded-for': `198.18.0.${++addresses}` })

const onProxy = (limits: string, database?: Database) =>
  limited(limits, { TRUSTED_PROXIES: '127.0.0.0/8' }, database)

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a stranger', () => {
  const ways: [string, string, RequestInit, number][] = [
    ['an unknown path', '/public-api/nowhere', {}, 404],
    ['a path of another service', '/nowhere', {}, 404],
    ['an unknown method', '/public-api/settings', { method: 'DELETE' }, 405],
    ['an unknown method of GraphQL', '/graphql', { method: 'PUT' }, 405],
    ['the OpenAPI document', '/public-api/openapi.json', {}, 200],
    ['an operation that needs a credential', '/public-api/settings', {}, 401],
    ['an operation for anyone', '/public-api/schemas/error-codes', {}, 200],
    ['GraphQL', '/graphql', json({ query: '{ __typename }' }), 200],
  ]

  it.each(ways)('who asks for %s is 429 after the quota', async (_what, path, init, status) => {
    const [msp, app, address] = [await world(), await onProxy('anonymous_ip=5'), newAddress()]
    const headers = { ...(init.headers as Record<string, string>), ...address }
    const ask = () => fetch(app.base + path, { ...init, headers })
    expect(await statuses(7, ask)).toEqual([...Array(5).fill(status), 429, 429])
    const refused = await ask()
    const items = itemsOf(refused.headers)
    expect(items).toMatchObject([{ name: 'ip', r: 0, t: Number(refused.headers.get('retry-after')) }])
    expect((await errorOf(refused)).details).toMatchObject({ name: 'anonymous_ip', limit: 5, scope: 'IP' })
    for (const caller of [msp.key, msp.admin]) {
      const good = await fetch(app.base + SETTINGS, { headers: { ...address, ...bearer(caller.token) } })
      expect(good.status).toBe(200)
    }
  })

  it('who sends what is no request is 429 after the quota', async () => {
    // Without a request there is no header of a proxy: the address is the socket's.
    const { prisma } = await testDatabase()
    await prisma.rateBucket.deleteMany({ where: { key: { startsWith: 'anonymous_ip:' } } })
    const app = await limited('anonymous_ip=3')
    const port = Number(new URL(app.base).port)
    const answers: string[] = []
    for (let i = 0; i < 5; i++) {
      const { socket, ended } = clientOf(port)
      socket.write('NONSENSE\r\n\r\n')
      answers.push((await ended).text)
    }
    const seen = answers.map((answer) => answer.split(' ', 2)[1])
    expect(seen).toEqual(['400', '400', '400', '429', '429'])
    expect(answers[4]).toMatch(/\r\nRetry-After: \d+\r\n/)
  })

  it('pays nothing for preflights, pages, health and what has not changed', async () => {
    const [app, address] = [await onProxy('anonymous_ip=2'), newAddress()]
    const free = async (path: string, init: RequestInit = {}) =>
      (await fetch(app.base + path, { ...init, headers: { ...(init.headers as object), ...address } })).status
    const document = await fetch(`${app.base}/public-api/openapi.json`, { headers: address })
    await document.text()
    const known = { 'if-none-match': document.headers.get('etag') ?? '' }
    for (let i = 0; i < 3; i++) {
      expect(await free('/public-api/settings', { method: 'OPTIONS' })).toBe(204)
      expect(await free('/public-api/docs')).toBe(200)
      expect(await free('/graphql', { headers: { accept: 'text/html' } })).toBe(200)
      expect(await free('/public-api/health')).toBe(200)
      expect(await free('/livez')).toBe(200)
      expect(await free('/public-api/openapi.json', { headers: known })).toBe(304)
    }
    expect(await free('/public-api/nowhere')).toBe(404)
    expect(await free('/public-api/nowhere')).toBe(429)
  })

  it('in a crowd runs into 429, and good traffic beside them does not', async () => {
    const [msp, app, address] = [await world(), await onProxy('anonymous_ip=60'), newAddress()]
    const stranger = (path: string) => fetch(app.base + path, { headers: address })
    const good = () => fetch(app.base + SETTINGS, { headers: { ...address, ...bearer(msp.key.token) } })
    const started = performance.now()
    const [strangers, callers] = await Promise.all([
      countsOf(300, (i) => stranger(['/public-api/x', '/public-api/openapi.json', SETTINGS][i % 3] ?? '')),
      countsOf(50, good),
    ])
    const refilled = Math.ceil((performance.now() - started) / 1000)
    expect(strangers.get(429)).toBeGreaterThanOrEqual(300 - 60 - refilled)
    expect([...callers]).toEqual([[200, 50]])
  })

  it.each([
    ['hangs', () => new Promise<never>((_, fail) => setTimeout(() => fail(new Error('too late')), 4000))],
    ['is away', () => Promise.reject(new Error('connect ECONNREFUSED'))],
  ])('is answered as ever while the database %s', async (_how, rows) => {
    const database = await testDatabase()
    const app = await onProxy('anonymous_ip=5', { ...database, sql: { ...database.sql, rows } })
    const headers = newAddress()
    const ask = async (path: string, more: Record<string, string> = {}) =>
      (await fetch(app.base + path, { headers: { ...headers, ...more } })).status
    const started = performance.now()
    expect(await ask('/public-api/nowhere')).toBe(404)
    expect(await ask(SETTINGS)).toBe(401)
    expect(await ask(SETTINGS, bearer('svc_sk_test_guess'))).toBe(401)
    expect(await ask('/public-api/openapi.json')).toBe(200)
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

describe('an address whose credentials fail', () => {
  const enter = (app: Running, token: string, address: Record<string, string>) =>
    fetch(app.base + SETTINGS, { headers: { ...address, ...bearer(token) } })

  it('is refused with 429 that says so, and keeps nobody out whose credential is good', async () => {
    const [msp, app, address] = [await world(), await onProxy('failed_credentials_ip=4'), newAddress()]
    expect((await enter(app, msp.key.token, address)).status).toBe(200)
    const wrong = () => enter(app, 'svc_sk_test_guess', address)
    expect(await statuses(6, wrong)).toEqual([401, 401, 401, 401, 429, 429])
    const refused = await wrong()
    const { message, details } = await errorOf(refused)
    expect(message).toContain('failed credentials')
    expect(details).toMatchObject({
      name: 'failed_credentials_ip',
      scope: 'IP',
      limit: 4,
      window_seconds: 60,
    })
    const item = itemsOf(refused.headers).find(({ name }) => name === 'failed-credentials')
    expect(item?.t).toBe(Number(refused.headers.get('retry-after')))
    const fresh = await msp.newKey()
    for (const { token } of [msp.key, msp.admin, fresh, fresh]) {
      expect((await enter(app, token, address)).status).toBe(200)
    }
    expect((await enter(app, 'a.b.c', address)).status).toBe(429)
    const graph = query(app, { id: '', token: 'svc_sk_test_guess' }, '{ __typename }', address)
    expect((await graph).status).toBe(429)
    expect((await fetch(app.base + SETTINGS, { headers: address })).status).toBe(401)
  })

  it('has keys of the right form looked up ten times a minute', async () => {
    let lookups = 0
    const database = await testDatabase()
    const counting: Database = {
      ...database,
      sql: {
        rows: (statement, values) => {
          if (statement.name.startsWith('api_key')) lookups++
          return database.sql.rows(statement, values)
        },
      },
    }
    const app = await onProxy('failed_credentials_ip=2,unknown_credentials_ip=10', counting)
    const address = newAddress()
    const ask = () => enter(app, newSecret(ENVIRONMENT), address)
    const seen = await statuses(40, ask)
    expect(seen.slice(0, 2)).toEqual([401, 401])
    expect(new Set(seen.slice(2))).toEqual(new Set([429]))
    expect(lookups).toBeGreaterThanOrEqual(12)
    expect(lookups).toBeLessThanOrEqual(14)
  })
})

describe('tokens of users that are let in nowhere', () => {
  it('reach the database no more often than strangers may call, and keep nobody out', async () => {
    let lookups = 0
    const database = await testDatabase()
    const counting: Database = {
      ...database,
      sql: {
        rows: (statement, values) => {
          if (statement.name === 'tenant_user_by_subject') lookups++
          return database.sql.rows(statement, values)
        },
      },
    }
    const app = await onProxy('anonymous_ip=20,unknown_credentials_ip=10', counting)
    const [msp, address] = [await world(), newAddress()]
    const claims = { tenant_id: msp.tenant_id, environment: ENVIRONMENT }
    const same = await signToken({ ...claims, sub: 'nobody' })
    const enter = (token: string) => fetch(app.base + SETTINGS, { headers: { ...address, ...bearer(token) } })
    const repeated = await countsOf(10, () => enter(same))
    expect([repeated.get(403), lookups]).toEqual([10, 1])
    expect((await enter(msp.admin.token)).status).toBe(200)
    lookups = 0
    const others = await Promise.all(
      Array.from({ length: 60 }, (_, i) => signToken({ ...claims, sub: `nobody ${i}` })),
    )
    const counts = await countsOf(60, (i) => enter(others[i] ?? ''))
    expect(lookups).toBeLessThanOrEqual(21)
    expect((counts.get(403) ?? 0) + (counts.get(429) ?? 0)).toBe(60)
    expect(counts.get(429)).toBeGreaterThanOrEqual(39)
    expect((await enter(msp.admin.token)).status).toBe(200)
  })

  it('are charged to the address, and those of its users are not', async () => {
    const [msp, app, address] = [await world(), await onProxy('anonymous_ip=2'), newAddress()]
    for (const { token } of [msp.owner, msp.admin, msp.user, msp.viewer]) {
      expect((await fetch(app.base + SETTINGS, { headers: { ...address, ...bearer(token) } })).status).toBe(
        200,
      )
    }
    expect((await fetch(`${app.base}/public-api/nowhere`, { headers: address })).status).toBe(404)
  })

  it('are charged to the address where the tenant is suspended', async () => {
    const [msp, app, address] = [await world(), await onProxy('anonymous_ip=3'), newAddress()]
    const data = { suspended_at: clock.now() }
    await msp.database.prisma.tenant.update({ where: { id: msp.tenant_id }, data })
    const seen: number[] = []
    for (const { token } of [msp.owner, msp.admin, msp.user, msp.viewer]) {
      seen.push((await fetch(app.base + SETTINGS, { headers: { ...address, ...bearer(token) } })).status)
    }
    expect(seen).toEqual([403, 403, 403, 429])
  })
})

it('a proxy that is not named is warned of once', async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const warned = async (overrides: Record<string, string>) => {
    lines.length = 0
    const { app, base } = await startApp(await testDatabase(), overrides, log)
    for (let i = 0; i < 3; i++) await fetch(`${base}/livez`, { headers: newAddress() })
    await app.close(0)
    return lines.filter((line) => line.includes('TRUSTED_PROXIES')).length
  }
  expect(await warned({})).toBe(1)
  expect(await warned({ TRUSTED_PROXIES: '127.0.0.0/8' })).toBe(0)
})

it('a key that has used up its limit comes back although the clock was set back', async () => {
  const msp = await world()
  const app = await limited('dashboard_user=60')
  try {
    await countsOf(70, () => get(app, msp.admin))
    clock.turn(-days(1))
    const { status, headers } = await get(app, msp.admin)
    if (status === 429) expect(headers.get('retry-after')).toBe('1')
    await new Promise((resolve) => setTimeout(resolve, 1200))
    expect((await get(app, msp.admin)).status).toBe(200)
  } finally {
    clock.reset()
  }
})
