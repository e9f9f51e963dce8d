import { afterAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { applyMigrations } from '../../src/db/migrations/apply.ts'
import { schemaCheck } from '../../src/db/migrations/standing.ts'
import { NOT_MIGRATED } from '../../src/http/probes.ts'
import { type Running, startApp } from '../setup/app.ts'
import { cloneDatabase, testDatabase } from '../setup/database.ts'
import { request } from '../setup/http.ts'
import { failuresIn, overheard } from '../setup/log.ts'

const running: Running[] = []
const closing: Promise<void>[] = []

async function serviceOn(
  changes: Partial<Database>,
  overrides: Record<string, string> = {},
): Promise<Running> {
  const service = await startApp({ ...(await testDatabase()), ...changes }, overrides)
  running.push(service)
  return service
}

afterAll(async () => {
  await Promise.all([...closing, ...running.map(({ app }) => app.close(1000))])
})

describe('/readyz and /health', () => {
  it.each([
    ['answers', () => Promise.resolve(), 200],
    ['refuses', () => Promise.reject(new Error('refused')), 503],
    ['hangs', () => new Promise<never>(() => {}), 503],
  ])('ask a database that %s once a second, however often they are asked', async (_name, ping, status) => {
    let pings = 0
    const { base } = await serviceOn({
      ping: () => {
        pings++
        return ping()
      },
    })
    const started = performance.now()
    const ask = async (path: string) => (await fetch(base + path)).status
    for (let round = 0; round < 2; round++) {
      const ready = await Promise.all(Array.from({ length: 30 }, () => ask('/readyz')))
      const health = await Promise.all(Array.from({ length: 10 }, () => ask('/public-api/health')))
      expect(new Set(ready)).toEqual(new Set([status]))
      expect(new Set(health)).toEqual(new Set([200]))
    }
    // Timers are some milliseconds early at times.
    const seconds = Math.floor((performance.now() - started + 50) / 1000)
    expect(pings).toBeLessThanOrEqual(1 + seconds)
  })
})

it('a planned stop and missing migrations are a line each when they begin and end, and no errors', async () => {
  let problem: string | null = NOT_MIGRATED
  const { app, base, lines } = await overheard(testDatabase(), {}, { schemaProblem: async () => problem })
  const ask = async () => {
    const statuses = []
    for (let round = 0; round < 3; round++) statuses.push((await fetch(`${base}/readyz`)).status)
    return statuses
  }
  expect(await ask()).toEqual([503, 503, 503])
  problem = null
  expect(await ask()).toEqual([200, 200, 200])
  closing.push(app.close(10_000, 5_000))
  expect(await ask()).toEqual([503, 503, 503])
  expect(lines().map(({ level, msg, reason }) => [level, msg, reason])).toEqual([
    [30, 'not ready', 'Migrations are missing.'],
    [30, 'ready', undefined],
    [30, 'not ready', 'The process is stopping.'],
  ])
})

it('a process that is retired answers no call, and still ends', async () => {
  const { app, base, lines } = await overheard()
  const statusOf = async (path: string) => {
    const response = await fetch(base + path)
    await response.text()
    return response.status
  }
  expect(await statusOf('/public-api/health')).toBe(200)
  app.retire()
  app.work()
  const response = await fetch(`${base}/public-api/health`)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await response.json()).error.code).toBe('service_unavailable')
  expect([await statusOf('/graphql'), await statusOf('/livez')]).toEqual([503, 200])
  expect(failuresIn(lines())).toEqual([])
  await app.close()
})

describe('/metrics in production', () => {
  const PRODUCTION = {
    NODE_ENV: 'production',
    OIDC_ISSUER: 'https://login.example/',
    OIDC_AUDIENCE: 'automation-service',
    OIDC_JWKS_URL: 'https://login.example/keys',
    DATABASE_URL: 'postgres://nobody@localhost/nothing',
    KEY_PEPPER: 'x'.repeat(32),
    SIGNING_SECRETS: 'y'.repeat(32),
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  }

  it('is nothing without METRICS_TOKEN', async () => {
    const { base } = await serviceOn({}, PRODUCTION)
    const response = await fetch(`${base}/metrics`)
    expect(response.status).toBe(404)
    expect((await response.json()).error.code).toBe('not_found')
  })

  it('is for who has the token', async () => {
    const METRICS_TOKEN = 'a token for metrics only'
    const { base } = await serviceOn({}, { ...PRODUCTION, METRICS_TOKEN })
    expect((await fetch(`${base}/metrics`)).status).toBe(401)
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
    expect((await fetch(`${base}/metrics`, { headers })).status).toBe(200)
  })
})

it('a database without its migrations is noticed, until it has them, and asked once a second', {
  timeout: 120_000,
}, async () => {
  const database = await cloneDatabase()
  await database.prisma.$executeRawUnsafe('drop schema public cascade')
  await database.prisma.$executeRawUnsafe('create schema public')
  let statements = 0
  const compared = schemaCheck({
    rows: (statement, values) => {
      statements++
      return database.sql.rows(statement, values)
    },
  })
  const standing = async () => (await compared()).standing
  expect(await Promise.all([standing(), standing(), standing()])).toEqual(['behind', 'behind', 'behind'])
  expect(statements).toBe(1)
  await applyMigrations(database)
  await expect.poll(standing, { timeout: 15_000 }).toBe('current')
  const started = performance.now()
  const asked = statements
  for (let round = 0; round < 30; round++) expect(await standing()).toBe('current')
  // Timers are some milliseconds early at times. Each comparison is three statements.
  const seconds = Math.floor((performance.now() - started + 50) / 1000)
  expect(statements - asked).toBeLessThanOrEqual(3 * (1 + seconds))
  await database.close()
})

describe.each(['/', '/public-api', '/public-api/'])('%s', (path) => {
  it('shows people where things are', async () => {
    const response = await request(path, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const page = await response.text()
    const links = [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, link]) => link ?? '')
    expect(links).toEqual(
      expect.arrayContaining(['/graphql', '/public-api/docs', '/public-api/openapi.json']),
    )
    for (const link of links) {
      const found = await request(link, { headers: { accept: 'text/html,application/json' } })
      expect([link, found.status]).toEqual([link, 200])
      await found.arrayBuffer()
    }
  })

  it('tells programs the same in the envelope', async () => {
    const response = await request(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('vary')).toContain('Accept')
    const { data, meta } = await response.json()
    expect(data).toMatchObject({
      name: 'Automation Service Public API',
      version: '1.0.0',
      graphql: '/graphql',
      graphiql: '/graphql',
      openapi: '/public-api/openapi.json',
      health: '/public-api/health',
    })
    expect(meta).toEqual({
      request_id: response.headers.get('x-request-id'),
      timings_ms: { total: expect.any(Number) },
    })
  })

  it('takes only GET and HEAD', async () => {
    const response = await request(path, { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})
