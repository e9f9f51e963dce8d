import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseSecret } from '../../src/access/credentials/api-key-secret.ts'
import {
  DEVELOPMENT_AUDIENCE,
  DEVELOPMENT_ISSUER,
  developmentPublicJwk,
  developmentSecrets,
  developmentToken,
} from '../../src/access/credentials/development-issuer.ts'
import { fixedKeys } from '../../src/access/credentials/jwks.ts'
import { newId } from '../../src/lib/ids.ts'
import { testDatabase } from '../setup/database.ts'
import { addUser, type CallFacts, present, unguarded, userCredential } from './people.ts'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dev-issuer-'))
})

afterEach(() => rm(dir, { recursive: true }))

describe('development secrets', () => {
  test('are made once, for their owner’s eyes only', async () => {
    const data = join(dir, 'a/b')
    const secrets = await developmentSecrets(data, 'dev')
    expect(await developmentSecrets(data, 'dev')).toEqual(secrets)
    expect(await readdir(data)).toEqual(['dev.json'])
    expect((await stat(join(data, 'dev.json'))).mode & 0o777).toBe(0o600)
  })

  test('are the same for all who make them at once', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => developmentSecrets(dir, 'dev')))
    expect(new Set(all.map((secrets) => JSON.stringify(secrets))).size).toBe(1)
    expect(await readdir(dir)).toEqual(['dev.json'])
  })

  test('hold a demo key for each environment that is asked for', async () => {
    const dev = await developmentSecrets(dir, 'dev')
    const eu = await developmentSecrets(dir, 'eu-1')
    expect(parseSecret(dev.demo_api_key)).toEqual({ environment: 'dev' })
    expect(parseSecret(eu.demo_api_key)).toEqual({ environment: 'eu-1' })
    expect(await developmentSecrets(dir, 'dev')).toEqual(dev)
  })

  test.each(['', '{', '{}', 'null'])('in a file that holds %j are refused by its name', async (text) => {
    await writeFile(join(dir, 'dev.json'), text)
    await expect(developmentSecrets(dir, 'dev')).rejects.toThrow(join(dir, 'dev.json'))
  })
})

describe('a token of the development issuer', () => {
  const now = new Date('2026-06-01T12:00:00Z')
  const call: CallFacts = { ip: '192.0.2.1', acting_user_header: undefined, now, guard: unguarded }

  const world = async () => {
    const database = await testDatabase()
    const secrets = await developmentSecrets(dir, 'dev')
    const tenant_id = newId('ten')
    const user = await addUser(database, { tenant_id, role: 'USER' })
    const credential = userCredential(database.sql, {
      issuer: DEVELOPMENT_ISSUER,
      audience: DEVELOPMENT_AUDIENCE,
      keys: async () => fixedKeys(developmentPublicJwk(secrets)),
    })
    const token = (changes: { subject?: string; tenant_id?: string } = {}) =>
      developmentToken(secrets, {
        subject: `sub-${user.id}`,
        tenant_id,
        environment: 'dev',
        ttl_seconds: 600,
        now,
        ...changes,
      })
    return { database, user, tenant_id, credential, token }
  }

  test('is the user it names, with the role stored now', async () => {
    const { database, user, tenant_id, credential, token } = await world()
    expect(await present(credential, await token(), call)).toMatchObject({
      kind: { type: 'USER' },
      tenant_id,
      id: user.id,
      person: user,
      expires_at: new Date('2026-06-01T12:10:00Z'),
    })
    await database.prisma.tenantUser.updateMany({ where: { id: user.id }, data: { role: 'OWNER' } })
    expect(await present(credential, await token(), call)).toMatchObject({ person: { role: 'OWNER' } })
  })

  test('of a user the tenant does not have is 403', async () => {
    const { credential, token } = await world()
    for (const changes of [{ subject: 'nobody' }, { tenant_id: 'ten_other' }]) {
      await expect(present(credential, await token(changes), call)).rejects.toMatchObject({
        code: 'forbidden',
        status: 403,
      })
    }
  })

  test('acts for nobody else', async () => {
    const { credential, token, user } = await world()
    const facts = { ...call, acting_user_header: user.id }
    await expect(present(credential, await token(), facts)).rejects.toMatchObject({
      code: 'acting_user_not_allowed',
      status: 403,
    })
  })

  test('shows nothing of the private key', async () => {
    const secrets = await developmentSecrets(dir, 'dev')
    expect(Object.keys(developmentPublicJwk(secrets)).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'x', 'y'])
  })
})

describe('npm run token', () => {
  const run = (args: string[], env: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, ['src/commands/token.ts', ...args], {
      env: { PATH: process.env.PATH ?? '', DATA_DIR: dir, ...env },
    })

  test('prints a token and nothing else', async () => {
    const { stdout } = await run(['--role', 'ADMIN', '--ttl', '60'])
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    const claims = decodeJwt(stdout.trim())
    expect(claims).toMatchObject({ sub: 'demo-admin', tenant_id: 'ten_demo', environment: 'dev' })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(60)
  })

  test('prints the token of an end user, for the tab of a chat app', async () => {
    const { stdout } = await run(['--end-user', 'Priya.Nair@alderfinch.example'])
    const { tid, oid, preferred_username, name, iss } = decodeJwt(stdout.trim())
    expect({ preferred_username, name }).toEqual({
      preferred_username: 'priya.nair@alderfinch.example',
      name: 'Priya Nair',
    })
    expect(iss).toBe(`http://localhost/dev-chat/${tid}`)
    expect(oid).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each<[string, string[], Record<string, string>]>([
    ['no end user', ['--end-user', 'nobody@alderfinch.example'], {}],
    ['--role', ['--role', 'ADMIN', '--end-user', 'priya.nair@alderfinch.example'], {}],
    ['CHAT_SSO_ISSUER', ['--end-user', 'x'], { CHAT_SSO_ISSUER: 'https://chat.example/{tenant}' }],
    ['--role', [], {}],
    ['--role', ['--role', 'BOSS'], {}],
    ['--ttl', ['--role', 'USER', '--ttl', 'soon'], {}],
    ['OIDC_ISSUER', ['--role', 'USER'], { OIDC_ISSUER: 'https://idp.example' }],
    ['production', ['--role', 'USER'], { NODE_ENV: 'production' }],
  ])('explains %s', async (word, args, env) => {
    await expect(run(args, env)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(word),
    })
  })
})
