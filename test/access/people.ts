/** Rows of a tenant that only this test knows. */
import { apiKey } from '../../src/access/credentials/api-key.ts'
import type { Peppers } from '../../src/access/credentials/api-key-secret.ts'
import type { AddressGuard, Credential, Issuer } from '../../src/access/credentials/credential.ts'
import { dashboardUser } from '../../src/access/credentials/dashboard-user.ts'
import type { Role } from '../../src/access/policies/roles.ts'
import type { Viewer } from '../../src/access/viewer.ts'
import type { Database } from '../../src/db/database.ts'
import type { Sql } from '../../src/db/sql.ts'
import { newId } from '../../src/lib/ids.ts'

export const ENVIRONMENT = 'dev'

/** A new user of the tenant, which is made with the first; `subject` is their id with `sub-` before it. */
export async function addUser(
  { prisma }: Database,
  { tenant_id, role, environment = ENVIRONMENT }: { tenant_id: string; role: Role; environment?: string },
): Promise<{ id: string; name: string; role: Role }> {
  const id = newId('usr')
  const at = new Date()
  const tenant = {
    id: tenant_id,
    name: tenant_id,
    data_residency: 'EU',
    referral_code: 'TESTCODE',
    created_at: at,
  }
  await prisma.tenant.createMany({ data: tenant, skipDuplicates: true })
  await prisma.tenantUser.create({
    data: {
      tenant_id,
      environment,
      id,
      subject: `sub-${id}`,
      name: `User ${id.slice(-4)}`,
      email: `${id}@example.com`,
      role,
      created_at: at,
      updated_at: at,
    },
  })
  return { id, name: `User ${id.slice(-4)}`, role }
}

interface KeyChanges {
  tenant_id: string
  created_by_user_id: string
  key_hash: Uint8Array
  scopes?: string[]
  acting_user_id?: string | null
  allow_acting_user_header?: boolean
  allowed_cidrs?: string[]
  expires_at?: Date
  sunset_at?: Date | null
  revoked_at?: Date | null
  environment?: string
}

/** A new key's row. */
export async function addKey({ prisma }: Database, changes: KeyChanges): Promise<string> {
  const id = newId('key')
  const at = new Date('2026-01-01T00:00:00Z')
  await prisma.apiKey.create({
    data: {
      environment: ENVIRONMENT,
      id,
      name: `Key ${id}`,
      prefix: 'svc_sk_dev_abcdef',
      last_four: 'wxyz',
      scopes: ['agents:read'],
      created_by_name: 'Somebody',
      created_at: at,
      updated_at: at,
      expires_at: new Date('2027-01-01T00:00:00Z'),
      ...changes,
      key_hash: Uint8Array.from(changes.key_hash),
    },
  })
  return id
}

const DAY_SECONDS = 86_400

/** Lets every credential be looked up. */
export const unguarded: AddressGuard = { key: async () => {}, user: async () => () => {} }

/** The judge of API keys under these peppers. */
export const keyCredential = (sql: Sql, ...key_peppers: Peppers) =>
  apiKey.credential({
    sql,
    environment: ENVIRONMENT,
    key_peppers,
    signing_secrets: [],
    jwt_max_age_seconds: DAY_SECONDS,
    issuer: null,
    chat_issuer: null,
  })

/** The judge of an identity provider's tokens. */
export const userCredential = (sql: Sql, issuer: Issuer) =>
  dashboardUser.credential({
    sql,
    environment: ENVIRONMENT,
    key_peppers: ['none'],
    signing_secrets: [],
    jwt_max_age_seconds: DAY_SECONDS,
    issuer,
    chat_issuer: null,
  })

/** A call that presents a bearer token. */
export interface CallFacts {
  ip: string | null
  acting_user_header: string | undefined
  now: Date
  guard: AddressGuard
}

/** The viewer of a request with the token. */
export async function present(
  credential: Pick<Credential, 'authenticate'> | null,
  token: string,
  { acting_user_header, ...facts }: CallFacts,
): Promise<Viewer | null> {
  const request = {
    method: 'GET',
    path: '/',
    headers: { authorization: `Bearer ${token}`, 'x-acting-user': acting_user_header },
    query: new URLSearchParams(),
    body: async () => Buffer.alloc(0),
  }
  return (await credential?.authenticate({ ...facts, request, token })) ?? null
}

const nothing = {
  tenant_id: 'ten_a',
  environment: ENVIRONMENT,
  scopes: new Set<never>(),
  own_scopes: new Set<never>(),
  expires_at: null,
  sunset_at: null,
}

type Changes = Partial<Viewer> & Pick<Viewer, 'id' | 'name'>

/** An API key with no scopes and no acting user. */
export const keyViewer = (changes: Changes): Viewer =>
  Object.assign(
    { ...nothing, kind: apiKey, person: null, acting_user: null, ...changes },
    { creator_role: 'OWNER' },
  )

/** A dashboard user. */
export const userViewer = ({ role, ...changes }: Changes & { role: Role }): Viewer => {
  const person = { id: changes.id, name: changes.name, role }
  return { ...nothing, kind: dashboardUser, person, acting_user: null, ...changes }
}
