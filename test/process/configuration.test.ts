import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig, readEnvironment, readRekeyConfig } from '../../src/config.ts'
import { newPlace, type Place, runProgram } from './service.ts'

const PRODUCTION = {
  NODE_ENV: 'production',
  OIDC_ISSUER: 'https://login.example/',
  OIDC_AUDIENCE: 'automation-service',
  OIDC_JWKS_URL: 'https://login.example/keys',
}

// Starting a process takes its time on a busy machine.
let place: Place

beforeAll(async () => {
  place = await newPlace()
})
afterAll(() => place?.remove())

test('every problem of the configuration is said at once, by name', async () => {
  const wrong = { PORT: 'many', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://db/x', ENVIRONMENT: 'Dev Env' }
  const { code, stdout, stderr } = await runProgram('src/entry.js', { ...place.env, ...wrong })
  expect(code).toBe(1)
  expect(stdout).toBe('Starting the service …\n')
  for (const name of Object.keys(wrong)) expect(stderr).toMatch(new RegExp(`^${name}: `, 'm'))
  expect(stderr).not.toContain('    at ')
})

test('production does not start without secrets and an issuer of its own', async () => {
  const { code, stderr } = await runProgram('src/entry.js', { ...place.env, NODE_ENV: 'production' })
  expect(code).toBe(1)
  for (const name of ['KEY_PEPPER', 'SIGNING_SECRETS', 'ENCRYPTION_KEYS', 'OIDC_ISSUER'])
    expect(stderr).toContain(`${name}: `)
})

const ENCRYPTION_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`

const SECRETS = { KEY_PEPPER: 'x'.repeat(32), SIGNING_SECRETS: 'y'.repeat(32), ENCRYPTION_KEYS }

test('production has a PostgreSQL, or an embedded database on purpose', () => {
  const config = (env: Record<string, string>) => readConfig({ ...PRODUCTION, ...SECRETS, ...env })
  for (const env of [{}, { DATABASE_URL: '' }, { DATA_DIR: '' }]) {
    expect(() => config(env)).toThrow(/^DATABASE_URL: is required in production, or DATA_DIR/m)
  }
  expect(config({ DATABASE_URL: 'postgres://db/x' })).toMatchObject({ production: true, DEMO_DATA: false })
  expect(config({ DATA_DIR: '.data' })).toMatchObject({ DATA_DIR: '.data' })
  expect(readConfig({})).toMatchObject({ DATA_DIR: '.data', DEMO_DATA: true })
})

test('the packages are installed for production without its database', () => {
  expect(readEnvironment({ NODE_ENV: 'production' })).toBe('dev')
  expect(readEnvironment({ NODE_ENV: 'production', ENVIRONMENT: 'prod' })).toBe('prod')
  expect(() => readEnvironment({ ENVIRONMENT: 'No' })).toThrow(/^ENVIRONMENT: must be/m)
})

test.each(['src/commands/migrate.ts', 'src/commands/rollups.ts'])(
  '%s makes no embedded database in production by accident',
  async (file) => {
    const { code, stdout, stderr } = await runProgram(file, { NODE_ENV: 'production' })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^DATABASE_URL: is required in production/m)
    expect(stderr).not.toContain('    at ')
  },
)

test('what is wrong and what is missing are said together', () => {
  const names = ['PORT', 'KEY_PEPPER', 'DATABASE_URL', 'OIDC_ISSUER', 'SIGNING_SECRETS']
  const env = {
    NODE_ENV: 'production',
    PORT: 'many',
    KEY_PEPPER: `${'x'.repeat(16)},short`,
    SIGNING_SECRETS: ' , ',
  }
  for (const name of names) expect(() => readConfig(env)).toThrow(new RegExp(`^${name}: `, 'm'))
})

test('a pepper is one, or a list of which the first hashes', () => {
  const [old, fresh] = ['x'.repeat(16), 'y'.repeat(16)]
  expect(readConfig({ KEY_PEPPER: old }).KEY_PEPPER).toEqual([old])
  expect(readConfig({ KEY_PEPPER: `${fresh}, ${old}` }).KEY_PEPPER).toEqual([fresh, old])
  expect(readConfig({}).KEY_PEPPER).toEqual([])
})

test('encryption keys each have an id of their own, and are required in production', () => {
  const other = ENCRYPTION_KEYS.replace('k1', 'k2')
  expect(readConfig({ ENCRYPTION_KEYS: `${other}, ${ENCRYPTION_KEYS}` }).ENCRYPTION_KEYS).toMatchObject([
    { id: 'k2' },
    { id: 'k1' },
  ])
  expect(readConfig({}).ENCRYPTION_KEYS).toEqual([])
  expect(() => readConfig({ ENCRYPTION_KEYS: `${ENCRYPTION_KEYS},${ENCRYPTION_KEYS}` })).toThrow(
    /^ENCRYPTION_KEYS: each needs an id of its own/m,
  )
  expect(() => readConfig({ ENCRYPTION_KEYS: 'k1:c2VjcmV0' })).toThrow(/^ENCRYPTION_KEYS: (?!.*c2VjcmV0)/m)
  expect(() => readRekeyConfig({ NODE_ENV: 'production', DATA_DIR: '.data' })).toThrow(/^ENCRYPTION_KEYS: /m)
})

test('systems at private addresses are for development alone', () => {
  expect(readConfig({}).ALLOW_PRIVATE_ADDRESSES).toBe(false)
  expect(readConfig({ ALLOW_PRIVATE_ADDRESSES: 'true' }).ALLOW_PRIVATE_ADDRESSES).toBe(true)
  const env = { ...PRODUCTION, ...SECRETS, DATA_DIR: '.data' }
  expect(() => readConfig({ ...env, ALLOW_PRIVATE_ADDRESSES: 'true' })).toThrow(/^ALLOW_PRIVATE_ADDRESSES: /m)
  expect(readConfig({ ...env, ALLOW_PRIVATE_ADDRESSES: 'false' }).ALLOW_PRIVATE_ADDRESSES).toBe(false)
})

test('there are no development tokens in production, nor beside a real issuer', async () => {
  const run = (env: Record<string, string>) =>
    runProgram('src/commands/token.ts', { ...place.env, ...env }, ['--role', 'OWNER'])
  expect(await run({ NODE_ENV: 'production' })).toMatchObject({ code: 1, stdout: '' })
  expect(await run({ OIDC_ISSUER: PRODUCTION.OIDC_ISSUER })).toMatchObject({ code: 1, stdout: '' })
})

test('there is no demo in production', async () => {
  const env = { ...place.env, ...PRODUCTION, ...SECRETS }
  const { code, stderr } = await runProgram('src/commands/seed.ts', env)
  expect(code).toBe(1)
  expect(stderr).toContain('There is no demo in production.')
})

test('one process that answers and works is all that an embedded database has', () => {
  expect(readConfig({}).ROLE).toBe('all')
  for (const ROLE of ['api', 'worker']) {
    expect(() => readConfig({ ROLE })).toThrow(/^ROLE: must be all on an embedded database/m)
    expect(readConfig({ ROLE, DATABASE_URL: 'postgres://db/x' }).ROLE).toBe(ROLE)
  }
})

test('a model is an address and a name, and a key belongs to an address', () => {
  const model = { MODEL_BASE_URL: 'https://models.example/v1', MODEL_NAME: 'small', MODEL_API_KEY: 'sk-1' }
  expect(readConfig(model)).toMatchObject(model)
  expect(() => readConfig({ MODEL_NAME: 'small' })).toThrow(/^MODEL_BASE_URL and MODEL_NAME: set both/m)
  expect(() => readConfig({ MODEL_API_KEY: 'sk-1' })).toThrow(/^MODEL_API_KEY: is of no use/m)
  for (const MODEL_BASE_URL of ['models.example', 'ftp://models.example', 'https://me:sk-1@models.example'])
    expect(() => readConfig({ ...model, MODEL_BASE_URL })).toThrow(/^MODEL_BASE_URL: (?!.*sk-1)/m)
})

test.each([
  ['disable', false],
  ['require', { rejectUnauthorized: false }],
  ['verify-full', {}],
])('sslmode=%s is libpq’s', (mode, ssl) => {
  const warned: Error[] = []
  const warn = (warning: Error) => void warned.push(warning)
  process.on('warning', warn)
  const { DATABASE_URL } = readConfig({ DATABASE_URL: `postgres://me:a%20b@db/x?sslmode=${mode}` })
  const client = new pg.Client({ connectionString: DATABASE_URL })
  process.off('warning', warn)
  expect([client.ssl, client.password]).toEqual([ssl, 'a b'])
  expect(warned).toEqual([])
})

test.each([
  ['prefer', /^DATABASE_URL: sslmode must be one of disable, require, verify-ca, verify-full/m],
  ['requir', /^DATABASE_URL: sslmode must be one of/m],
  ['verify-ca', /^DATABASE_URL: sslmode=verify-ca needs sslrootcert/m],
])('sslmode=%s is refused', (mode, message) => {
  expect(() => readConfig({ DATABASE_URL: `postgres://db/x?sslmode=${mode}` })).toThrow(message)
})

test('PUBLIC_URL is an address that a path can be put behind', () => {
  expect(readConfig({}).PUBLIC_URL).toBe('')
  expect(readConfig({ PUBLIC_URL: 'https://api.example' }).PUBLIC_URL).toBe('https://api.example')
  expect(readConfig({ PUBLIC_URL: 'https://x.example/api/' }).PUBLIC_URL).toBe('https://x.example/api')
  const user = 'https://user:word@api.example'
  for (const wrong of [
    'api.example',
    'ftp://api.example',
    user,
    'https://api.example/?',
    'https://api.example#a',
  ])
    expect(() => readConfig({ PUBLIC_URL: wrong }), wrong).toThrow(/^PUBLIC_URL: /m)
})

test('CORS_ORIGINS are origins as browsers send them', () => {
  const CORS_ORIGINS = 'https://dashboard.example,http://localhost:3000,capacitor://localhost'
  expect(readConfig({ CORS_ORIGINS }).CORS_ORIGINS).toEqual(CORS_ORIGINS.split(','))
  for (const wrong of [
    '*',
    'dashboard.example',
    'https://dashboard.example/',
    'https://a.example:443',
    'null',
  ])
    expect(() => readConfig({ CORS_ORIGINS: wrong })).toThrow(/^CORS_ORIGINS: each must be an origin/m)
})

test('a demo that is asked for in production is refused', () => {
  const env = { ...PRODUCTION, ...SECRETS, DATABASE_URL: 'postgres://db/x' }
  expect(() => readConfig({ ...env, DEMO_DATA: 'on' })).toThrow(/^DEMO_DATA: there is no demo in production/m)
  expect(readConfig({ ...env, DEMO_DATA: 'off' }).DEMO_DATA).toBe(false)
})

test('what a PSA may tell of is bounded, by variables', () => {
  expect(readConfig({})).toMatchObject({ POLLED_CHANGES_AN_HOUR: 20_000, SYNC_ROWS: 500_000 })
  const set = { POLLED_CHANGES_AN_HOUR: '5', SYNC_ROWS: '7' }
  expect(readConfig(set)).toMatchObject({ POLLED_CHANGES_AN_HOUR: 5, SYNC_ROWS: 7 })
  for (const name of Object.keys(set))
    expect(() => readConfig({ [name]: '0' })).toThrow(new RegExp(`^${name}: `, 'm'))
})
