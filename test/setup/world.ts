/** Tenants for tests. Every test makes its own, so tests are independent of each other. */
import { randomUUID } from 'node:crypto'
import { hashSecret, lastFourOf, newSecret, prefixOf } from '../../src/access/credentials/api-key-secret.ts'
import { ROLES, type Role } from '../../src/access/policies/roles.ts'
import { SCOPES, type Scope } from '../../src/access/policies/scopes.ts'
import type { Database } from '../../src/db/database.ts'
import { statement } from '../../src/db/sql.ts'
import { clock, ENVIRONMENT, KEY_PEPPER, signToken } from './app.ts'
import { testDatabase } from './database.ts'

/** A caller with a credential. */
export interface Caller {
  id: string
  token: string
}

export interface Msp {
  tenant_id: string
  environment: string
  database: Database
  owner: Caller
  admin: Caller
  user: Caller
  viewer: Caller
  /** An API key with every scope and no acting user. */
  key: Caller
  /** A new API key, with every scope unless scopes are named. */
  newKey(options?: KeyOptions): Promise<Caller>
}

interface KeyOptions {
  scopes?: readonly Scope[]
  acting_user_id?: string
  allow_acting_user_header?: boolean
  allowed_cidrs?: string[]
  expires_at?: Date
  sunset_at?: Date
  created_by_user_id?: string
}

const DAY_MS = 24 * 60 * 60 * 1000

export const days = (count: number): number => count * DAY_MS

// Prisma takes several times as long for it.
const NEW_KEY = statement(
  'test.new_key',
  `insert into api_key (tenant_id, environment, id, name, key_hash, prefix, last_four, scopes, acting_user_id,
     allow_acting_user_header, allowed_cidrs, created_by_user_id, created_by_name, created_at, updated_at, sunset_at, expires_at)
   values ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'Owner', $12, $12, $13, $14)`,
)

async function insertKey(
  msp: Pick<Msp, 'tenant_id' | 'database' | 'owner'>,
  options: KeyOptions,
): Promise<Caller> {
  const token = newSecret(ENVIRONMENT)
  const id = `key_${randomUUID()}`
  const now = clock.now()
  await msp.database.sql.rows(NEW_KEY, [
    msp.tenant_id,
    ENVIRONMENT,
    id,
    hashSecret(KEY_PEPPER, token),
    prefixOf(token),
    lastFourOf(token),
    options.scopes ?? SCOPES,
    options.acting_user_id ?? null,
    options.allow_acting_user_header ?? false,
    options.allowed_cidrs ?? [],
    options.created_by_user_id ?? msp.owner.id,
    now,
    options.sunset_at ?? null,
    options.expires_at ?? new Date(now.getTime() + days(365)),
  ])
  return { id, token }
}

/** A tenant and the rows that each has, in one statement: tests make thousands. */
const NEW_TENANT = statement(
  'test.new_tenant',
  `with tenant as (
     insert into tenant (id, name, data_residency, referral_code, created_at)
     values ($1, 'Test MSP', 'EU', 'TESTCODE', $3)
   ), settings as (
     insert into settings (tenant_id, environment, human_friendly_client_name, updated_at)
     values ($1, $2, 'Test MSP', $3)
   ), subscription as (
     insert into subscription (tenant_id, environment, first_period_start, updated_at) values ($1, $2, $3, $3)
   )
   insert into tenant_user (tenant_id, environment, id, subject, name, email, role, created_at, updated_at)
   select $1, $2, u.id, 'sub_' || u.id, initcap(u.role), lower(u.role) || '@' || $4::text || '.test', u.role::tenant_role, $3, $3
   from unnest($5::text[], $6::text[]) as u (id, role)`,
)

/** A new tenant with settings, a subscription, a user of every role and a key; by default in the worker's database. */
export async function world(its?: Database): Promise<Msp> {
  const database = its ?? (await testDatabase())
  const tenant_id = `ten_${randomUUID().slice(0, 13)}`
  const ids = ROLES.map((role) => `usr_${role.toLowerCase()}_${tenant_id}`)
  const domain = tenant_id.replaceAll('_', '-')
  await database.sql.rows(NEW_TENANT, [tenant_id, ENVIRONMENT, clock.now(), domain, ids, ROLES])
  const callers: Partial<Record<Role, Caller>> = {}
  for (const [index, role] of ROLES.entries()) {
    const id = ids[index] as string
    callers[role] = { id, token: await signToken({ sub: `sub_${id}`, tenant_id, environment: ENVIRONMENT }) }
  }
  const { OWNER, ADMIN, USER, VIEWER } = callers as Record<Role, Caller>
  const base = {
    tenant_id,
    environment: ENVIRONMENT,
    database,
    owner: OWNER,
    admin: ADMIN,
    user: USER,
    viewer: VIEWER,
  }
  const key = await insertKey(base, {})
  return { ...base, key, newKey: (options = {}) => insertKey(base, options) }
}
