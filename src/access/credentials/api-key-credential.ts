/** Judges API keys, whose secret is a bearer token. */

import type { Sql } from '../../db/sql.ts'
import { ApiError } from '../../errors/errors.ts'
import { expiringSet } from '../../lib/expiring-set.ts'
import { isInNetworks } from '../../lib/networks.ts'
import type { Role } from '../policies/roles.ts'
import { isScope, ROLE_SCOPES, type Scope } from '../policies/scopes.ts'
import type { Viewer, ViewerKind } from '../viewer.ts'
import { type KeyRow, keyById, keyRows } from './api-key-rows.ts'
import { hashSecret, parseSecret } from './api-key-secret.ts'
import {
  actingUserHeader,
  bearerCredential,
  type Credential,
  type CredentialOptions,
  refusedToken,
} from './credential.ts'

/** Hashes of keys that were valid lately: looking them up needs no limit by address. */
const PROVEN_KEYS = 10_000
const PROVEN_SECONDS = 600

/** The maximum number of cached sets of scopes. Beyond it the cache starts again. */
const SCOPE_SETS = 1000

export interface ServiceAccount extends Viewer {
  /** The role of the key's creator now; null if the creator is gone. */
  creator_role: Role | null
}

type KeyScopes = Pick<ServiceAccount, 'scopes' | 'own_scopes'>

/** A key's own scopes, and those of them that its creator's role and its acting user's role allow now. */
function keyScopes({ scope_names, creator_role, user_role }: KeyRow): KeyScopes {
  const own = scope_names.split(' ').filter(isScope)
  const roles = user_role ? [creator_role, user_role] : [creator_role]
  const allowed = (scope: Scope) => roles.every((role) => role !== null && ROLE_SCOPES[role].has(scope))
  return { own_scopes: new Set(own), scopes: new Set(own.filter(allowed)) }
}

/** The scopes of the row, from the cache if it has them. */
function sharedScopes(cache: Map<string, KeyScopes>, row: KeyRow): KeyScopes {
  const name = `${row.scope_names}|${row.creator_role}|${row.user_role}`
  let scopes = cache.get(name)
  if (!scopes) {
    if (cache.size === SCOPE_SETS) cache.clear()
    scopes = keyScopes(row)
    cache.set(name, scopes)
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

function checkUsable(row: KeyRow, now: Date): void {
  if (row.revoked_at) throw refusedToken('credentials_revoked')
  if (now >= endOf(row)) throw refusedToken('credentials_expired')
  if (row.suspended) throw new ApiError('tenant_suspended')
}

function checkNetwork(row: KeyRow, ip: string | null): void {
  if (row.networks && (ip === null || !isInNetworks(row.networks.split(' '), ip)))
    throw new ApiError('ip_not_allowed')
}

function accountOf(
  row: KeyRow,
  {
    kind,
    environment,
    scopes,
    acting_user,
    is_own = false,
  }: Pick<ServiceAccount, 'kind' | 'environment' | 'acting_user' | 'is_own'> & { scopes: KeyScopes },
): ServiceAccount {
  return {
    kind,
    tenant_id: row.tenant_id,
    environment,
    id: row.id,
    name: row.name,
    person: acting_user,
    acting_user,
    is_own,
    maker_id: row.maker_id,
    channel: row.channel,
    ...scopes,
    creator_role: row.creator_role,
    sunset_at: row.sunset_at,
    expires_at: endOf(row),
  }
}

/** The key as a viewer, who acts for the user, as it is now; throws if it is no longer good. Its networks are not asked. */
export async function keyNow(
  sql: Sql,
  key: Pick<ServiceAccount, 'kind' | 'tenant_id' | 'environment' | 'id'>,
  acting_user_id: string | null,
  now: Date,
): Promise<ServiceAccount> {
  const row = await keyById(sql, key, acting_user_id)
  if (!row) throw refusedToken('invalid_credentials')
  checkUsable(row, now)
  const acting_user = actingUserOf(row, acting_user_id ?? undefined)
  return accountOf(row, { ...key, scopes: keyScopes(row), acting_user })
}

/** Judges keys of this environment. Nothing is cached: a revoked key is refused by the next request everywhere. */
export function apiKeyCredential(
  kind: ViewerKind,
  { sql, key_peppers, environment }: Pick<CredentialOptions, 'sql' | 'key_peppers' | 'environment'>,
): Credential {
  const cache = new Map<string, KeyScopes>()
  const rowOf = keyRows(sql, environment)
  const proven = expiringSet(PROVEN_KEYS, PROVEN_SECONDS)
  // The hashes are looked up in the same turn of the event loop, so in one statement.
  const find = async (hashes: readonly string[], acting_user_id: string | null): Promise<KeyRow | null> => {
    const rows = await Promise.all(hashes.map((hash) => rowOf({ hash, acting_user_id })))
    return rows.find((row) => row !== null) ?? null
  }
  return bearerCredential(
    (token) => token.startsWith('svc_sk_'),
    async (token, presented): Promise<ServiceAccount> => {
      const secret = parseSecret(token)
      if (!secret) throw refusedToken('invalid_credentials')
      if (secret.environment !== environment) throw refusedToken('environment_mismatch')
      const header = actingUserHeader(presented)
      const hashes = key_peppers.map((pepper) => hashSecret(pepper, token).toString('hex'))
      const [hash = ''] = hashes
      if (!proven.has(hash)) await presented.guard.key()
      const row = await find(hashes, header ?? null)
      if (!row) throw refusedToken('invalid_credentials')
      checkUsable(row, presented.now)
      checkNetwork(row, presented.ip)
      proven.add(hash)
      return accountOf(row, {
        kind,
        environment,
        scopes: sharedScopes(cache, row),
        acting_user: actingUserOf(row, header),
        is_own: header === undefined && row.acting_user_id === row.creator_id,
      })
    },
  )
}
