/** The credential of a service account. */
import type { Sql } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { isWithin } from '../lib/networks.ts'
import { type KeyRow, keyRows } from './api-key-rows.ts'
import { hashSecret, type Peppers, parseSecret } from './api-key-secret.ts'
import { type CallFacts, type CredentialKind, refusedToken } from './credential.ts'
import { recentNames } from './recent.ts'
import { isScope, ROLE_SCOPES, type Scope } from './scopes.ts'
import type { ServiceAccount } from './viewer.ts'

/** Keys that are known to be good for so long, by their hashes. */
const PROVEN_KEYS = 10_000
const PROVEN_SECONDS = 600

/** Sets of scopes made at most; beyond it they are made again. */
const SCOPE_SETS = 1000

type KeyScopes = Pick<ServiceAccount, 'scopes' | 'own_scopes'>

/** A key's own scopes, and those of them that its creator's role and its acting user's role allow now. */
function keyScopes({ scopes, creator_role, user_role }: KeyRow): KeyScopes {
  const own = scopes.split(' ').filter(isScope)
  const roles = user_role ? [creator_role, user_role] : [creator_role]
  const allowed = (scope: Scope) => roles.every((role) => role !== null && ROLE_SCOPES[role].has(scope))
  return { own_scopes: new Set(own), scopes: new Set(own.filter(allowed)) }
}

function remembered(known: Map<string, KeyScopes>, row: KeyRow): KeyScopes {
  const name = `${row.scopes}|${row.creator_role}|${row.user_role}`
  let scopes = known.get(name)
  if (!scopes) {
    if (known.size === SCOPE_SETS) known.clear()
    scopes = keyScopes(row)
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
  if (row.suspended) throw new ApiError('tenant_suspended')
  if (row.allowed_cidrs && !isWithin(row.allowed_cidrs.split(' '), ip)) throw new ApiError('ip_not_allowed')
}

/** Keys of this environment. Nothing is cached: a revoked key is refused by the next request everywhere. */
export function apiKeyCredential(options: {
  sql: Sql
  peppers: Peppers
  environment: string
}): CredentialKind {
  const { sql, peppers, environment } = options
  const known = new Map<string, KeyScopes>()
  const rowOf = keyRows(sql, environment)
  const proven = recentNames(PROVEN_KEYS, PROVEN_SECONDS)
  // The hashes are looked up in the same turn of the event loop, so in one statement.
  const find = async (hashes: readonly string[], acting_user_id: string | null): Promise<KeyRow | null> => {
    const rows = await Promise.all(hashes.map((hash) => rowOf({ hash, acting_user_id })))
    return rows.find((row) => row !== null) ?? null
  }
  return {
    name: 'api_key',
    recognises: (token) => token.startsWith('svc_sk_'),
    authenticate: async (token, call) => {
      const secret = parseSecret(token)
      if (!secret) throw refusedToken('invalid_credentials')
      if (secret.environment !== environment) throw refusedToken('environment_mismatch')
      const header = call.acting_user_header
      const hashes = peppers.map((pepper) => hashSecret(pepper, token).toString('hex'))
      const [hash = ''] = hashes
      if (!proven.has(hash)) await call.guard.key()
      const row = await find(hashes, header ?? null)
      if (!row) throw refusedToken('invalid_credentials')
      checkUsable(row, call)
      proven.add(hash)
      const { scopes, own_scopes } = remembered(known, row)
      return {
        type: 'API_KEY',
        tenant_id: row.tenant_id,
        environment,
        id: row.id,
        name: row.name,
        acting_user: actingUserOf(row, header),
        scopes,
        own_scopes,
        creator_role: row.creator_role,
        sunset_at: row.sunset_at,
        expires_at: endOf(row),
      }
    },
  }
}
