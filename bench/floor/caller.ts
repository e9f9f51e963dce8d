/** Who calls, whether they may, and how often. */
import { BlockList, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { hashSecret, parseSecret } from '../../src/access/credentials/api-key-secret.ts'
import { ROLE_SCOPES, type Scope } from '../../src/access/policies/scopes.ts'
import { type Call, type Caller, Refusal, type Role, type Standing } from './call.ts'
import { rows } from './database.ts'

const { KEY_PEPPER = '', ENVIRONMENT = '' } = process.env

interface KeyRow {
  tenant_id: string
  id: string
  name: string
  /** Separated by spaces, as are the networks: reading an array is work. */
  scopes: string
  allowed_cidrs: string
  acting_user_id: string | null
  allow_acting_user_header: boolean
  expires_at: Date
  sunset_at: Date | null
  revoked_at: Date | null
  suspended: boolean
  creator_role: Role | null
  maker_id: string | null
  user_id: string | null
  user_name: string | null
  user_role: Role | null
}

const KEY = {
  name: 'key',
  text: `select k.tenant_id, k.id, k.name, array_to_string(k.scopes, ' ') as scopes,
           array_to_string(k.allowed_cidrs, ' ') as allowed_cidrs, k.acting_user_id, k.allow_acting_user_header,
           k.expires_at, k.sunset_at, k.revoked_at, t.suspended_at is not null as suspended,
           case when not k.of_service then k.created_by_user_id end as maker_id,
           creator.role as creator_role, acting.id as user_id,
           acting.name as user_name, acting.role as user_role
         from api_key k join tenant t on t.id = k.tenant_id
         left join tenant_user creator on creator.tenant_id = k.tenant_id and creator.environment = k.environment
           and creator.id = k.created_by_user_id
         left join tenant_user acting on acting.tenant_id = k.tenant_id and acting.environment = k.environment
           and acting.id = coalesce($3, k.acting_user_id)
         where k.key_hash = $1 and k.environment = $2`,
}

function isAllowed(networks: string, ip: string): boolean {
  const list = new BlockList()
  for (const network of networks.split(' ')) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4')
}

function checkUsable(row: KeyRow, ip: string): void {
  const now = new Date()
  if (row.revoked_at) throw new Refusal(401, 'credentials_revoked')
  if (row.expires_at <= now || (row.sunset_at && row.sunset_at <= now))
    throw new Refusal(401, 'credentials_expired')
  if (row.suspended) throw new Refusal(403, 'tenant_suspended')
  if (row.allowed_cidrs && !isAllowed(row.allowed_cidrs, ip)) throw new Refusal(403, 'ip_not_allowed')
}

function actingUserOf(row: KeyRow, header: string | undefined): Caller['acting_user'] {
  const named = header ?? row.acting_user_id
  if (named === null) return null
  const allowed = row.allow_acting_user_header || named === row.acting_user_id
  if (!allowed || row.user_id === null || row.user_role === null)
    throw new Refusal(403, 'acting_user_not_allowed')
  return { id: row.user_id, name: row.user_name ?? '', role: row.user_role }
}

export async function authenticate(
  request: FastifyRequest,
  call: Call,
  scope: Scope | null,
): Promise<Caller> {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const secret = token ? parseSecret(token) : null
  if (!token || secret?.environment !== ENVIRONMENT) throw new Refusal(401, 'invalid_credentials')
  const header = request.headers['x-acting-user'] as string | undefined
  const values = [hashSecret(KEY_PEPPER, token), ENVIRONMENT, header ?? null]
  const [row] = await rows<KeyRow>(call, KEY, values)
  call.db_ms = 0
  if (!row) throw new Refusal(401, 'invalid_credentials')
  checkUsable(row, call.ip)
  const acting_user = actingUserOf(row, header)
  const roles = [row.creator_role, ...(acting_user ? [acting_user.role] : [])]
  const mayUse = (name: Scope) => roles.every((role) => role !== null && ROLE_SCOPES[role].has(name))
  if (scope && !(` ${row.scopes} `.includes(` ${scope} `) && mayUse(scope)))
    throw new Refusal(403, 'insufficient_scope')
  const restricted = acting_user && acting_user.role !== 'OWNER' && acting_user.role !== 'ADMIN'
  return {
    id: row.id,
    name: row.name,
    tenant_id: row.tenant_id,
    environment: ENVIRONMENT,
    // All of them are needed only if they are shown.
    scopes: scope ? [] : (row.scopes.split(' ') as Scope[]).filter(mayUse).sort(),
    expires_at: row.sunset_at && row.sunset_at < row.expires_at ? row.sunset_at : row.expires_at,
    acting_user,
    user_ids: [...new Set([acting_user?.id, row.maker_id].filter((id) => id != null))],
    restricted_to: restricted ? acting_user.id : null,
  }
}

const QUOTA = 1_000_000_000

interface Limit {
  /** What it is called in the headers, and in the list that callers may read. */
  item: string
  name: string
  quota: number
  window_seconds: number
}

const limit = (item: string, name: string, quota = QUOTA, window_seconds = 60): Limit => ({
  item,
  name,
  quota,
  window_seconds,
})
const CALLS = limit('key', 'service_key')
const BURST = limit('key-burst', 'service_key_burst', QUOTA / 10, 1)
const WRITES = limit('writes', 'service_key_writes')
const OF_TENANT = limit('tenant', 'tenant')
const POINTS = limit('points', 'graphql_points')
const RUNS = limit('run-now', 'run_now')
const VERIFICATIONS = limit('verify-audit-log', 'verify_audit_log')

const windows = new Map<string, { used: number; ends_at: number }>()

function take({ item, name, quota, window_seconds }: Limit, owner: string, cost = 1): Standing {
  const key = `${item}:${owner}`
  const now = Date.now()
  let window = windows.get(key)
  if (!window || window.ends_at <= now) {
    window = { used: 0, ends_at: now + window_seconds * 1000 }
    windows.set(key, window)
  }
  window.used += cost
  if (window.used > quota) throw new Refusal(429, 'rate_limited')
  const reset_seconds = Math.ceil((window.ends_at - now) / 1000)
  return { item, name, window_seconds, limit: quota, remaining: quota - window.used, reset_seconds }
}

const credentialOf = ({ id, tenant_id, environment }: Caller) => `${tenant_id}:${environment}:${id}`

/** Counts the request against every limit of the key and the tenant; returns what is left of each. */
export function charge(caller: Caller, { writes, runs }: { writes: boolean; runs: boolean }): Standing[] {
  const credential = credentialOf(caller)
  return [
    take(CALLS, credential),
    take(BURST, credential),
    ...(writes ? [take(WRITES, credential)] : []),
    take(OF_TENANT, caller.tenant_id),
    take(POINTS, credential, 2),
    ...(runs ? [take(RUNS, credential)] : []),
  ]
}

/** What is left of every limit, those that this request is not counted against included. */
export function standings(caller: Caller): Standing[] {
  const credential = credentialOf(caller)
  return [CALLS, BURST, WRITES, OF_TENANT, POINTS, RUNS, VERIFICATIONS].map((one) =>
    take(one, one === OF_TENANT ? caller.tenant_id : credential, 0),
  )
}
