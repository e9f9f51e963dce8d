/** An operator begins: from an empty database to calls that are answered, in production. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyUrl } from '../setup/database.ts'
import {
  type Environment,
  newPlace,
  type Place,
  patientCall,
  runProgram,
  type Service,
  startService,
} from './service.ts'

const AUDIENCE = 'automation-service'
const keys = await generateKeyPair('ES256', { extractable: true })
// Each starts several processes, one after the other.
const onServer = Boolean(process.env.DATABASE_URL)

let issuer: Server
let place: Place
let production: Environment
const running: Service[] = []

beforeAll(async () => {
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' }
  issuer = createServer((_req, res) => res.end(JSON.stringify({ keys: [jwk] }))).listen(0, '127.0.0.1')
  place = await newPlace()
  const url = await emptyUrl()
  production = {
    ...place.env,
    ...(url && { DATABASE_URL: url }),
    NODE_ENV: 'production',
    DEMO_DATA: 'off',
    ENVIRONMENT: 'prod',
    KEY_PEPPER: 'a pepper of the operator',
    SIGNING_SECRETS: 'a signing secret of the operator',
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    OIDC_ISSUER: 'https://login.example/',
    OIDC_AUDIENCE: AUDIENCE,
    OIDC_JWKS_URL: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`,
  }
})

afterAll(async () => {
  for (const service of running) await service.stop()
  issuer?.close()
  await place?.remove()
})

const tenant = (env: Environment, ...args: string[]) => runProgram('src/commands/tenant.ts', env, args)
const CREATE = ['create', '--name', 'Acme IT', '--owner-email', 'ada@acme.example', '--data-residency', 'EU']

const token = (tenant_id: string) =>
  new SignJWT({ tenant_id, environment: 'prod' })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setIssuer('https://login.example/')
    .setAudience(AUDIENCE)
    .setSubject('idp|ada')
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(keys.privateKey)

const FIRST = [...CREATE, '--id', 'acme', '--owner-subject', 'idp|ada', '--json']

/** The answer of each process to each credential. */
async function codes(processes: Service[], credentials: string[]) {
  const answers = []
  for (const service of processes) {
    for (const credential of credentials) {
      const { status, body } = await patientCall(service, credential, '/settings')
      answers.push(body.error?.code ?? status)
    }
  }
  return answers
}

async function started(): Promise<Service> {
  const service = await startService(production)
  running.push(service)
  return service
}

test.runIf(onServer)('a database without migrations is said to lack them', async () => {
  const { code, stdout, stderr } = await tenant(production, ...CREATE)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('npm run migrate')
})

test.runIf(onServer)(
  'an empty database, two processes, the first tenant, its key and its OWNER, its suspension',
  async () => {
    expect((await runProgram('src/commands/migrate.ts', production)).code).toBe(0)
    const processes = await Promise.all([started(), started()])
    const created = await tenant(production, ...FIRST)
    expect([created.code, created.stderr]).toEqual([0, expect.stringContaining('Created the tenant acme')])
    const { api_key, tenant_id, owner_id } = JSON.parse(created.stdout)
    const credentials = [api_key, await token(tenant_id)]
    expect(await codes(processes, credentials)).toEqual([200, 200, 200, 200])
    const { body } = await patientCall(processes[1], credentials[1], '/tenant/me')
    expect(body.data).toMatchObject({ id: owner_id, role: 'OWNER', environment: 'prod' })
    expect((await tenant(production, 'suspend', '--tenant', 'acme')).code).toBe(0)
    expect(await codes(processes, credentials)).toEqual(new Array(4).fill('tenant_suspended'))
    expect((await tenant(production, 'resume', '--tenant', 'acme')).code).toBe(0)
    expect(await codes(processes, credentials)).toEqual([200, 200, 200, 200])
  },
)

test.skipIf(onServer)(
  'an embedded database: the first tenant, its key and its OWNER; while it is held, its holder is named',
  async () => {
    const created = await tenant(production, ...FIRST)
    const { api_key, tenant_id } = JSON.parse(created.stdout)
    const service = await started()
    expect(await codes([service], [api_key, await token(tenant_id)])).toEqual([200, 200])
    const { code, stdout, stderr } = await tenant(production, 'list')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`is in use by process ${service.pid}`)
    await service.stop()
  },
)

test('an id that exists is no failure, and prints no key', async () => {
  const { code, stdout, stderr } = await tenant(production, ...CREATE, '--id', 'acme')
  expect([code, stdout]).toEqual([0, 'tenant_id=acme\nenvironment=prod\ncreated=false\n'])
  expect(stderr).toContain('exists already')
})

test('a script reads the key from a line of its own', async () => {
  const { code, stdout } = await tenant(production, ...CREATE)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^api_key=svc_sk_prod_\w{46}$/m)
})

test('wrong arguments end with 2, a wrong configuration and an outage with 1, in words', async () => {
  expect(await tenant({}, 'create', '--nope')).toMatchObject({ code: 2, stdout: '' })
  expect(await tenant({})).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage') })
  const bare = await tenant({ NODE_ENV: 'production' }, ...CREATE)
  expect([bare.code, bare.stdout]).toEqual([1, ''])
  for (const name of ['DATABASE_URL', 'KEY_PEPPER'])
    expect(bare.stderr).toMatch(new RegExp(`^${name}: `, 'm'))
  const away = await tenant({ ...production, DATABASE_URL: 'postgres://127.0.0.1:1/none' }, 'list')
  expect([away.code, away.stdout]).toEqual([1, ''])
  expect(away.stderr).toMatch(/^The database cannot be used: .+/)
  expect(bare.stderr + away.stderr).not.toContain('    at ')
})
