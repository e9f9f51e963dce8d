import { beforeAll, describe, expect, test, vi } from 'vitest'
import { apiKey } from '../../src/access/credentials/api-key.ts'
import type { ServiceAccount } from '../../src/access/credentials/api-key-credential.ts'
import { hashSecret, newSecret } from '../../src/access/credentials/api-key-secret.ts'
import type { Credential } from '../../src/access/credentials/credential.ts'
import { ROLES, type Role } from '../../src/access/policies/roles.ts'
import { ROLE_SCOPES, SCOPES } from '../../src/access/policies/scopes.ts'
import type { Database } from '../../src/db/database.ts'
import type { Sql, Statement } from '../../src/db/sql.ts'
import { newId } from '../../src/lib/ids.ts'
import { testDatabase } from '../setup/database.ts'
import { addKey, addUser, type CallFacts, ENVIRONMENT, keyCredential, present, unguarded } from './people.ts'

const pepper = 'pepper'
const now = new Date('2026-06-01T12:00:00Z')
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds)
const call: CallFacts = { ip: '192.0.2.1', acting_user_header: undefined, now, guard: unguarded }

let database: Database
let credential: Credential | null

beforeAll(async () => {
  database = await testDatabase()
  credential = keyCredential(database.sql, pepper)
})

type Changes = Partial<Parameters<typeof addKey>[1]> & { creator?: Role }

async function keyOf({ creator = 'OWNER', ...changes }: Changes = {}) {
  const tenant_id = changes.tenant_id ?? newId('ten')
  const secret = newSecret(ENVIRONMENT)
  const created_by_user_id = (await addUser(database, { tenant_id, role: creator })).id
  const id = await addKey(database, {
    tenant_id,
    created_by_user_id,
    key_hash: hashSecret(pepper, secret),
    ...changes,
  })
  return { tenant_id, secret, id, created_by_user_id }
}

const enter = (secret: string, facts: Partial<CallFacts> = {}) =>
  present(credential, secret, { ...call, ...facts }) as Promise<ServiceAccount>

const noReads: Sql = {
  rows: () => {
    throw new Error('The database was read')
  },
}

describe('a key', () => {
  test('is its tenant, with its name and scopes', async () => {
    const { tenant_id, secret, id, created_by_user_id } = await keyOf({
      scopes: ['agents:read', 'settings:write'],
    })
    expect(await enter(secret)).toEqual({
      kind: apiKey,
      tenant_id,
      environment: ENVIRONMENT,
      id,
      name: `Key ${id}`,
      person: null,
      acting_user: null,
      is_own: false,
      maker_id: created_by_user_id,
      scopes: new Set(['agents:read', 'settings:write']),
      own_scopes: new Set(['agents:read', 'settings:write']),
      creator_role: 'OWNER',
      channel: null,
      sunset_at: null,
      expires_at: new Date('2027-01-01T00:00:00Z'),
    })
  })

  test('with a wrong checksum, or of another environment, is refused without a read', async () => {
    const blind = keyCredential(noReads, pepper)
    const mistyped = newSecret(ENVIRONMENT).replace(/.$/, (letter) => (letter === 'a' ? 'b' : 'a'))
    await expect(present(blind, mistyped, call)).rejects.toMatchObject({ code: 'invalid_credentials' })
    const elsewhere = newSecret('prod')
    await expect(present(blind, elsewhere, call)).rejects.toMatchObject({ code: 'environment_mismatch' })
  })

  test('that nobody stored is invalid', async () => {
    await expect(enter(newSecret(ENVIRONMENT))).rejects.toMatchObject({
      code: 'invalid_credentials',
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    })
  })

  test('hashed with another pepper is invalid', async () => {
    const { secret } = await keyOf()
    const other = keyCredential(database.sql, 'other')
    await expect(present(other, secret, call)).rejects.toMatchObject({ code: 'invalid_credentials' })
  })

  test('hashed with an older pepper works, and costs no statement more', async () => {
    const asked: string[] = []
    const sql: Sql = {
      rows: (query, values) => {
        asked.push(query.name)
        return database.sql.rows(query, values)
      },
    }
    const rotated = keyCredential(sql, 'new', 'newer', pepper)
    const { secret, id } = await keyOf()
    expect(await present(rotated, secret, call)).toMatchObject({ id })
    expect(asked).toHaveLength(1)
    const fresh = newSecret(ENVIRONMENT)
    const { id: newest } = await keyOf({ key_hash: hashSecret('new', fresh) })
    expect(await present(rotated, fresh, call)).toMatchObject({ id: newest })
    await expect(present(rotated, newSecret(ENVIRONMENT), call)).rejects.toMatchObject({
      code: 'invalid_credentials',
    })
  })

  test('of a tenant that is not there is invalid', async () => {
    const { secret, tenant_id } = await keyOf()
    await database.prisma.tenant.delete({ where: { id: tenant_id } })
    await expect(enter(secret)).rejects.toMatchObject({ code: 'invalid_credentials' })
  })

  test('of a suspended tenant is refused, unless it does not work anyway', async () => {
    const { secret, tenant_id } = await keyOf({ allowed_cidrs: ['203.0.113.0/24'] })
    const revoked = await keyOf({ tenant_id, revoked_at: now })
    await database.prisma.tenant.update({ where: { id: tenant_id }, data: { suspended_at: now } })
    await expect(enter(secret)).rejects.toMatchObject({ code: 'tenant_suspended', status: 403 })
    await expect(enter(revoked.secret)).rejects.toMatchObject({ code: 'credentials_revoked' })
  })

  test('revoked is refused at the very next request', async () => {
    const { secret, id } = await keyOf()
    await enter(secret)
    await database.prisma.apiKey.updateMany({ where: { id }, data: { revoked_at: now } })
    await expect(enter(secret)).rejects.toMatchObject({ code: 'credentials_revoked', status: 401 })
  })

  test.each<[string, Changes]>([
    ['expires_at', { expires_at: now }],
    ['sunset_at', { sunset_at: now }],
    ['the earlier of the two', { expires_at: now, sunset_at: later(1000) }],
  ])('works until exactly %s', async (_name, changes) => {
    const { secret } = await keyOf(changes)
    expect((await enter(secret, { now: later(-1) })).expires_at).toEqual(now)
    for (const at of [now, later(1)]) {
      await expect(enter(secret, { now: at })).rejects.toMatchObject({ code: 'credentials_expired' })
    }
  })

  test('revoked and expired is revoked', async () => {
    const { secret } = await keyOf({ expires_at: now, revoked_at: now })
    await expect(enter(secret)).rejects.toMatchObject({ code: 'credentials_revoked' })
  })

  test('with networks works from there only', async () => {
    const { secret } = await keyOf({ allowed_cidrs: ['203.0.113.0/24', '2001:db8::/32'] })
    for (const ip of ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1']) await enter(secret, { ip })
    for (const ip of ['203.0.114.7', '::1', '', null]) {
      await expect(enter(secret, { ip })).rejects.toMatchObject({ code: 'ip_not_allowed', status: 403 })
    }
  })
})

describe('the scopes of a key', () => {
  test.each(ROLES)('created by %s stay within that role', async (creator) => {
    const { secret } = await keyOf({ creator, scopes: [...SCOPES, 'unknown:read'] })
    expect((await enter(secret)).scopes).toEqual(ROLE_SCOPES[creator])
  })

  test.each(ROLES)('stay within the role of the acting user, %s', async (role) => {
    const tenant_id = newId('ten')
    const { id } = await addUser(database, { tenant_id, role })
    const { secret } = await keyOf({ tenant_id, scopes: [...SCOPES], acting_user_id: id })
    expect((await enter(secret)).scopes).toEqual(ROLE_SCOPES[role])
  })

  test('follow the creator, down to none when they are gone', async () => {
    const { secret, created_by_user_id } = await keyOf({ scopes: ['settings:write', 'agents:read'] })
    expect((await enter(secret)).scopes.size).toBe(2)
    await database.prisma.tenantUser.updateMany({
      where: { id: created_by_user_id },
      data: { role: 'VIEWER' },
    })
    expect((await enter(secret)).scopes).toEqual(new Set(['agents:read']))
    await database.prisma.tenantUser.deleteMany({ where: { id: created_by_user_id } })
    expect((await enter(secret)).scopes).toEqual(new Set())
  })
})

describe('the acting user of a key', () => {
  const refused = { code: 'acting_user_not_allowed', status: 403 }

  test('is the key’s own, with the role stored now', async () => {
    const tenant_id = newId('ten')
    const user = await addUser(database, { tenant_id, role: 'USER' })
    const { secret } = await keyOf({ tenant_id, acting_user_id: user.id })
    expect((await enter(secret)).acting_user).toEqual(user)
    expect((await enter(secret, { acting_user_header: user.id })).acting_user).toEqual(user)
    await database.prisma.tenantUser.updateMany({ where: { id: user.id }, data: { role: 'ADMIN' } })
    expect((await enter(secret)).acting_user?.role).toBe('ADMIN')
    await database.prisma.tenantUser.deleteMany({ where: { id: user.id } })
    await expect(enter(secret)).rejects.toMatchObject(refused)
  })

  test('is the header’s only if the key allows it', async () => {
    const tenant_id = newId('ten')
    const user = await addUser(database, { tenant_id, role: 'USER' })
    const closed = await keyOf({ tenant_id })
    await expect(enter(closed.secret, { acting_user_header: user.id })).rejects.toMatchObject(refused)
    const open = await keyOf({ tenant_id, allow_acting_user_header: true })
    expect((await enter(open.secret)).acting_user).toBeNull()
    expect((await enter(open.secret, { acting_user_header: user.id })).acting_user).toEqual(user)
  })

  test('is never unknown, of another tenant or of another environment', async () => {
    const tenant_id = newId('ten')
    const { secret } = await keyOf({ tenant_id, allow_acting_user_header: true })
    const foreign = await addUser(database, { tenant_id: newId('ten'), role: 'OWNER' })
    const elsewhere = await addUser(database, { tenant_id, role: 'OWNER', environment: 'prod' })
    for (const acting_user_header of [foreign.id, elsewhere.id, 'usr_none', '']) {
      await expect(enter(secret, { acting_user_header })).rejects.toMatchObject(refused)
    }
  })
})

describe('keys that come at once', () => {
  /** Keys whose look-ups are counted, and answered once `answer` is done. */
  const counting = (answer = Promise.resolve()) => {
    const asked: number[] = []
    const sql: Sql = {
      rows: async <Row>(query: Statement, values: readonly unknown[]) => {
        const rows = await database.sql.rows<Row>(query, values)
        asked.push(Array.isArray(values[0]) ? values[0].length : 1)
        await answer
        return rows
      },
    }
    const counted = keyCredential(sql, pepper)
    return { asked, authenticate: (secret: string, facts: CallFacts) => present(counted, secret, facts) }
  }

  test('are looked up in one statement, and each is answered for itself', async () => {
    const { asked, authenticate } = counting()
    const acting = await addUser(database, { tenant_id: 'ten_acting', role: 'VIEWER' })
    const plain = await keyOf()
    const free = await keyOf({ tenant_id: 'ten_acting', allow_acting_user_header: true })
    const revoked = await keyOf({ revoked_at: now })
    const viewers = await Promise.allSettled([
      authenticate(plain.secret, call),
      authenticate(newSecret(ENVIRONMENT), call),
      authenticate(free.secret, { ...call, acting_user_header: acting.id }),
      authenticate(free.secret, call),
      authenticate(revoked.secret, call),
      authenticate(plain.secret, { ...call, acting_user_header: acting.id }),
      authenticate(plain.secret, call),
    ])
    expect(asked).toEqual([7])
    const told = viewers.map((one) => {
      if (one.status === 'rejected') return one.reason.code
      const viewer = one.value as ServiceAccount
      return [viewer.id, viewer.acting_user?.id ?? null]
    })
    expect(told).toEqual([
      [plain.id, null],
      'invalid_credentials',
      [free.id, acting.id],
      [free.id, null],
      'credentials_revoked',
      'acting_user_not_allowed',
      [plain.id, null],
    ])
  })

  test('never join a look-up that is under way', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { asked, authenticate } = counting(promise)
    const { secret, id } = await keyOf()
    const first = authenticate(secret, call)
    await vi.waitUntil(() => asked.length === 1, { timeout: 60_000 })
    await database.prisma.apiKey.updateMany({ where: { id }, data: { revoked_at: now } })
    const second = authenticate(secret, call)
    await vi.waitUntil(() => asked.length === 2, { timeout: 60_000 })
    resolve()
    const [before, after] = await Promise.allSettled([first, second])
    expect(before).toMatchObject({ status: 'fulfilled', value: { id } })
    expect(after).toMatchObject({ status: 'rejected', reason: { code: 'credentials_revoked' } })
    expect(asked).toEqual([1, 1])
  })
})
