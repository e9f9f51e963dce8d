/** Verifies access tokens of the identity provider, and finds the dashboard users that they name. */
import { errors, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import type { Sql } from '../../db/sql.ts'
import { statement } from '../../db/sql.ts'
import { ApiError } from '../../errors/errors.ts'
import { expiringSet } from '../../lib/expiring-set.ts'
import { isStorable } from '../../lib/text.ts'
import type { Role } from '../policies/roles.ts'
import { noSuchUser, viewerOf } from '../users.ts'
import type { Channel, Viewer, ViewerKind } from '../viewer.ts'
import { actingUserHeader, type CredentialRequest, refusedToken } from './credential.ts'
import { verifiedClaims } from './jwt.ts'

interface VerifierOptions {
  /** The kind of the viewers that it finds. */
  kind: ViewerKind
  sql: Sql
  environment: string
  /** The issuer's keys: `remoteKeys` or `fixedKeys`. */
  keys: JWTVerifyGetKey
  issuer: string
  audience: string
  max_age_seconds: number
}

interface Claims {
  subject: string
  tenant_id: string
  environment: string
  channel: Channel | null
  expires_at: Date
}

interface UserRow {
  id: string
  name: string
  role: Role
  /** True while the user's tenant is suspended. */
  suspended: boolean
}

const CLAIMS = ['sub', 'tenant_id', 'environment']

/** The claim `channel` of tokens that the API-request channel presents. */
const API_REQUEST_CHANNEL = 'api_request'

/** Users that existed lately, and subjects that no user had. */
const PROVEN_USERS = 10_000
const PROVEN_SECONDS = 600
const UNKNOWN_SUBJECTS = 1000
// Contract silent: a user who is added right after a refused token is let in within five seconds.
const UNKNOWN_SECONDS = 5

const USER_BY_SUBJECT = statement(
  'tenant_user_by_subject',
  `select u.id, u.name, u.role, t.suspended_at is not null as suspended
   from tenant_user u join tenant t on t.id = u.tenant_id
   where u.tenant_id = $1 and u.environment = $2 and u.subject = $3`,
)

function claimsOf({ sub, tenant_id, environment, channel, exp }: JWTPayload): Claims {
  const expires_at = new Date((exp ?? Number.NaN) * 1000)
  const isName = (claim: unknown): claim is string =>
    typeof claim === 'string' && claim !== '' && isStorable(claim)
  if (!isName(sub) || !isName(tenant_id) || !isName(environment) || Number.isNaN(expires_at.getTime())) {
    throw refusedToken('invalid_credentials', { message: 'The token lacks a claim.' })
  }
  return {
    subject: sub,
    tenant_id,
    environment,
    expires_at,
    channel: channel === API_REQUEST_CHANNEL ? 'API_REQUEST' : null,
  }
}

async function verified(
  token: string,
  options: VerifierOptions,
  { now }: CredentialRequest,
): Promise<Claims> {
  try {
    return claimsOf(await verifiedClaims(token, { ...options, claims: CLAIMS }, now))
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    const expired = cause instanceof errors.JWTExpired
    throw refusedToken(expired ? 'credentials_expired' : 'invalid_credentials', { cause })
  }
}

/**
 * Looks users up by the claims of their tokens. The lookup of a subject that was not found lately is charged to the
 * address; concurrent lookups of one such subject wait for the first.
 */
function userLookup(sql: Sql): (claims: Claims, presented: CredentialRequest) => Promise<UserRow> {
  const proven = expiringSet(PROVEN_USERS, PROVEN_SECONDS)
  const unknown = expiringSet(UNKNOWN_SUBJECTS, UNKNOWN_SECONDS)
  const underWay = new Map<string, Promise<unknown>>()

  async function lookUp(name: string, { tenant_id, environment, subject }: Claims): Promise<UserRow> {
    const [user] = await sql.rows<UserRow>(USER_BY_SUBJECT, [tenant_id, environment, subject])
    if (user) {
      proven.add(name)
      return user
    }
    proven.delete(name)
    unknown.add(name)
    throw noSuchUser()
  }

  async function lookUpFirst(name: string, claims: Claims, { guard }: CredentialRequest): Promise<UserRow> {
    const refund = await guard.user()
    try {
      const user = await lookUp(name, claims)
      refund()
      return user
    } catch (error) {
      if (!(error instanceof ApiError)) refund()
      throw error
    }
  }

  return async (claims, presented) => {
    const name = `${claims.tenant_id}\n${claims.subject}`
    if (proven.has(name)) return await lookUp(name, claims)
    await underWay.get(name)?.catch(() => {})
    if (unknown.has(name)) throw noSuchUser()
    if (proven.has(name)) return await lookUp(name, claims)
    const first = lookUpFirst(name, claims, presented)
    underWay.set(name, first)
    try {
      return await first
    } finally {
      if (underWay.get(name) === first) underWay.delete(name)
    }
  }
}

/** Finds the viewer of a token. The token names the user; what they may do is the stored user's role at each request. */
export function verifiedUser(
  options: VerifierOptions,
): (token: string, presented: CredentialRequest) => Promise<Viewer> {
  const { kind, sql, environment } = options
  const userOf = userLookup(sql)
  return async (token, presented) => {
    const claims = await verified(token, options, presented)
    if (claims.environment !== environment) throw refusedToken('environment_mismatch')
    if (actingUserHeader(presented) !== undefined) {
      throw new ApiError('acting_user_not_allowed', { message: 'A dashboard user acts for no other user.' })
    }
    const { tenant_id, channel, expires_at } = claims
    const { id, name, role, suspended } = await userOf(claims, presented)
    if (suspended) throw new ApiError('tenant_suspended')
    return { ...viewerOf({ kind, tenant_id, environment, id }, { name, role }), channel, expires_at }
  }
}
