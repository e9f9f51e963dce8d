import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSecret } from '../../src/access/credentials/api-key-secret.ts'
import { newPlace, type Place, runProgram, type Service, startService } from './service.ts'

const PRODUCTION = {
  NODE_ENV: 'production',
  DEMO_DATA: 'off',
  OIDC_ISSUER: 'https://login.example/',
  OIDC_AUDIENCE: 'automation-service',
  OIDC_JWKS_URL: 'https://login.example/keys',
  KEY_PEPPER: 'x'.repeat(32),
  SIGNING_SECRETS: 'y'.repeat(32),
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
}

/** Starting a process takes its time on a busy machine. */
const PATIENCE = { timeout: 120_000 }

let place: Place
let service: Service

beforeAll(async () => {
  place = await newPlace()
})
afterAll(() => place?.remove())

test(
  'in production the log alone says where things are, and that there are no metrics',
  PATIENCE,
  async () => {
    service = await startService({ ...place.env, ...PRODUCTION })
    const { code, stdout, stderr } = await service.stop()
    expect([code, stdout]).toEqual([0, ''])
    const lines = stderr.trim().split('\n')
    const logged = lines.map((line) => JSON.parse(line))
    expect(logged.filter(({ msg }) => msg === 'listening')).toMatchObject([
      {
        base: service.base,
        port: service.port,
        reference: '/public-api/docs',
        openapi: '/public-api/openapi.json',
      },
    ])
    expect(logged.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([
      '/metrics is 404: there is no METRICS_TOKEN',
      'feedback links have no host: there is no PUBLIC_URL',
    ])
  },
)

describe.runIf(process.env.DATABASE_URL)('a service that does not migrate', () => {
  afterAll(() => service?.stop('SIGKILL'))

  test('is ready once somebody has migrated the database', PATIENCE, async () => {
    const client = new pg.Client({ connectionString: place.env.DATABASE_URL })
    await client.connect()
    await client.query('drop schema public cascade; create schema public')
    await client.end()
    service = await startService({ ...place.env, ...PRODUCTION, MIGRATE_ON_START: 'false' })
    const headers = { authorization: `Bearer ${newSecret('dev')}` }
    const status = async (path: string) => {
      const response = await fetch(service.base + path, { headers })
      await response.text()
      return response.status
    }
    expect([await status('/livez'), await status('/readyz')]).toEqual([200, 503])
    expect(await status('/public-api/settings')).toBe(503)
    expect((await runProgram('src/commands/migrate.ts', place.env)).code).toBe(0)
    await expect.poll(() => status('/readyz'), { timeout: 20_000 }).toBe(200)
    expect(await status('/public-api/settings')).toBe(401)
    const { code, stderr } = await service.stop()
    expect(code).toBe(0)
    const logged = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(logged.filter(({ loop }) => loop)).toEqual([])
  })
})
