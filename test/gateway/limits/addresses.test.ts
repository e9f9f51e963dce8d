import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSecret } from '../../../src/access/credentials/api-key-secret.ts'
import type { Database } from '../../../src/db/database.ts'
import { clock, ENVIRONMENT, type Running, signToken, startApp, testApp } from '../../setup/app.ts'
import { clientOf } from '../../setup/client.ts'
import { testDatabase } from '../../setup/database.ts'
import { json } from '../../setup/http.ts'
import { world } from '../../setup/world.ts'
import { closeLimited, countsOf, errorOf, itemsOf, limited, query, SETTINGS, statuses } from './limited.ts'

beforeAll(async () => {
  await (await testApp()).app.warm()
})

afterAll(closeLimited)

let addresses = 0

/** The headers that a proxy adds for a client of an address that no other test has. */
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

  it('whose proxy names nobody who can be read is counted with all such, and no network of a key is theirs', async () => {
    const { prisma } = await testDatabase()
    await prisma.rateBucket.deleteMany({ where: { key: { startsWith: 'anonymous_ip:' } } })
    const [msp, app] = [await world(), await onProxy('anonymous_ip=3')]
    let hops = 0
    const headers = () => ({ 'x-forwarded-for': `203.0.113.${++hops}, unknown` })
    const key = await msp.newKey({ allowed_cidrs: ['127.0.0.0/8', '203.0.113.0/24'] })
    const enter = (address: object) =>
      fetch(app.base + SETTINGS, { headers: { ...address, ...bearer(key.token) } })
    expect((await errorOf(await enter(headers()))).code).toBe('ip_not_allowed')
    expect((await enter({ 'x-forwarded-for': '203.0.113.1:4711' })).status).toBe(200)
    const ask = () => fetch(`${app.base}/public-api/nowhere`, { headers: headers() })
    expect(await statuses(5, ask)).toEqual([404, 404, 429, 429, 429])
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
    let allowed = 0
    const stranger = async (path: string) => {
      const asked = performance.now()
      const response = await fetch(app.base + path, { headers: address })
      // One who waits longer than this for the database is let in as in an outage.
      if (response.status !== 429 && performance.now() - asked < 500) allowed++
      return response
    }
    const good = () => fetch(app.base + SETTINGS, { headers: { ...address, ...bearer(msp.key.token) } })
    const started = performance.now()
    const [strangers, callers] = await Promise.all([
      countsOf(300, (i) => stranger(['/public-api/x', '/public-api/openapi.json', SETTINGS][i % 3] ?? '')),
      countsOf(50, good),
    ])
    const refilled = Math.ceil((performance.now() - started) / 1000)
    expect(allowed).toBeLessThanOrEqual(60 + refilled)
    expect(strangers.get(429)).toBeGreaterThan(0)
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

  it('are charged to the address if the tenant is suspended', async () => {
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
