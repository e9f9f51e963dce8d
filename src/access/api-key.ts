/** The credential of a service account. */
import type { Sql } from '../db/sql.ts'
import { statement } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { hashSecret, parseSecret } from './api-key-secret.ts'
import { type CallFacts, type CredentialKind, refusedToken } from './credential.ts'
import { isWithin } from './networks.ts'
import { isScope, ROLE_SCOPES, type Scope } from './scopes.ts'
import type { Role, ServiceAccount } from './viewer.ts'

interface KeyRow {
  tenant_id: string
  id: string
  name: string
  /** Separated by spaces, as are the networks. */
  scopes: string
  allowed_cidrs: string
  acting_user_id: string | null
  allow_acting_user_header: boolean
  expires_at: Date
  sunset_at: Date | null
  revoked_at: Date | null
  /** null where who created the key is gone. */
  creator_role: Role | null
  user_id: string | null
  user_name: string | null
  user_role: Role | null
}

const KEY_BY_HASH = statement(
  'api_key_by_hash',
  `select k.tenant_id, k.id, k.name, array_to_string(k.scopes, ' ') as scopes,
     array_to_string(k.allowed_cidrs, ' ') as allowed_cidrs, k.acting_user_id, k.allow_acting_user_header,
     k.expires_at, k.sunset_at, k.revoked_at, creator.role as creator_role,
     acting.id as user_id, acting.name as user_name, acting.role as user_role
   from api_key k
   left join tenant_user creator on creator.tenant_id = k.tenant_id and creator.environment = k.environment
     and creator.id = k.created_by_user_id
   left join tenant_user acting on acting.tenant_id = k.tenant_id and acting.environment = k.environment
     and acting.id = coalesce($3, k.acting_user_id)
   where k.key_hash = $1 and k.environment = $2`,
)

/** Sets of scopes made at most; beyond it they are made again. */
const SCOPE_SETS = 1000

const NO_SCOPES: ReadonlySet<Scope> = new Set()

/** A key's scopes, as far as its creator's role and its acting user's role allow them now. */
function effectiveScopes({ scopes, creator_role, user_role }: KeyRow): ReadonlySet<Scope> {
  if (!creator_role) return NO_SCOPES
  const roles = user_role ? [creator_role, user_role] : [creator_role]
  const allowed = (scope: Scope) => roles.every((role) => ROLE_SCOPES[role].has(scope))
  return new Set(scopes.split(' ').filter(isScope).filter(allowed))
}

function remembered(known: Map<string, ReadonlySet<Scope>>, row: KeyRow): ReadonlySet<Scope> {
  const name = `${row.scopes}|${row.creator_role}|${row.user_role}`
  let scopes = known.get(name)
  if (!scopes) {
    if (known.size === SCOPE_SETS) known.clear()
    scopes = effectiveScopes(row)
    known.set(name, scopes)
  }
  return scopes
}

/** The instant the key stops working: its own end, or the end of the overlap after its rotation. */
const endOf = ({ expires_at, sunset_at }: KeyRow): Date =>
  sunset_at && sunset_at < expires_at ? sunset_at : expires_at

function actingUserOf(row: KeyRow, header: string | undefined): ServiceAccount['acting_user'] {
  const named = header ?? row.acting_user_id
  if (named === null) return null
  const allowed = row.allow_acting_user_header || named === row.acting_user_id
  if (!allowed || row.user_id !== named) throw new ApiError('acting_user_not_allowed')
  return { id: row.user_id, name: row.user_name ?? '', role: row.user_role ?? 'VIEWER' }
}

function checkUsable(row: KeyRow, { now, ip }: CallFacts): void {
  if (row.revoked_at) throw refusedToken('credentials_revoked')
  if (now >= endOf(row)) throw refusedToken('credentials_expired')
  if (row.allowed_cidrs && !isWithin(row.allowed_cidrs.split(' '), ip)) throw new ApiError('ip_not_allowed')
}

/** Keys of this environment. Nothing is cached: a revoked key is refused by the next request everywhere. */
export function apiKeyCredential(options: { sql: Sql; pepper: string; environment: string }): CredentialKind {
  const { sql, pepper, environment } = options
  const known = new Map<string, ReadonlySet<Scope>>()
  return {
    name: 'api_key',
    recognises: (token) => token.startsWith('svc_sk_'),
    authenticate: async (token, call) => {
      const secret = parseSecret(token)
      if (!secret) throw refusedToken('invalid_credentials')
      if (secret.environment !== environment) throw refusedToken('environment_mismatch')
      const header = call.acting_user_header
      const [row] = await sql.rows<KeyRow>(KEY_BY_HASH, [
        hashSecret(pepper, token),
        environment,
        header ?? null,
      ])
      if (!row) throw refusedToken('invalid_credentials')
      checkUsable(row, call)
      return {
        type: 'API_KEY',
        tenant_id: row.tenant_id,
        environment,
        id: row.id,
        name: row.name,
        acting_user: actingUserOf(row, header),
        scopes: remembered(known, row),
        expires_at: endOf(row),
      }
    },
  }
}
