/** The credential of a dashboard user: an access token of the identity provider. */
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Sql } from '../db/sql.ts'
import { statement } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import { isStorable } from '../lib/text.ts'
import { type CallFacts, type CredentialKind, isCompactJws, refusedToken } from './credential.ts'
import { ROLE_SCOPES } from './scopes.ts'
import type { Role } from './viewer.ts'

export interface DashboardJwtOptions {
  sql: Sql
  environment: string
  /** The issuer's keys: `remoteKeys` or `fixedKeys`. */
  keys: JWTVerifyGetKey
  issuer: string
  audience: string
}

interface Claims {
  subject: string
  tenant_id: string
  environment: string
  expires_at: Date
}

interface UserRow {
  id: string
  name: string
  role: Role
  /** Whether the user's tenant is suspended. */
  suspended: boolean
}

const CLOCK_TOLERANCE_SECONDS = 60

const USER_BY_SUBJECT = statement(
  'tenant_user_by_subject',
  `select u.id, u.name, u.role, t.suspended_at is not null as suspended
   from tenant_user u join tenant t on t.id = u.tenant_id
   where u.tenant_id = $1 and u.environment = $2 and u.subject = $3`,
)

function claimsOf({ sub, tenant_id, environment, exp }: JWTPayload): Claims {
  const expires_at = new Date((exp ?? Number.NaN) * 1000)
  const isName = (claim: unknown): claim is string =>
    typeof claim === 'string' && claim !== '' && isStorable(claim)
  if (!isName(sub) || !isName(tenant_id) || !isName(environment) || Number.isNaN(expires_at.getTime())) {
    throw refusedToken('invalid_credentials', { message: 'The token lacks a claim.' })
  }
  return { subject: sub, tenant_id, environment, expires_at }
}

async function verified(token: string, options: DashboardJwtOptions, { now }: CallFacts): Promise<Claims> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, options.keys, {
      algorithms: ['RS256', 'ES256'],
      issuer: options.issuer,
      audience: options.audience,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['exp', 'sub', 'tenant_id', 'environment'],
      currentDate: now,
    })
    if (protectedHeader.crit) throw refusedToken('invalid_credentials')
    return claimsOf(payload)
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    const expired = cause instanceof errors.JWTExpired
    throw refusedToken(expired ? 'credentials_expired' : 'invalid_credentials', { cause })
  }
}

/** Tokens say who calls; what they may do is the stored user's role at each request. */
export function dashboardJwtCredential(options: DashboardJwtOptions): CredentialKind {
  const { sql, environment } = options
  return {
    name: 'dashboard_jwt',
    recognises: isCompactJws,
    authenticate: async (token, call) => {
      const claims = await verified(token, options, call)
      if (claims.environment !== environment) throw refusedToken('environment_mismatch')
      if (call.acting_user_header !== undefined) {
        throw new ApiError('acting_user_not_allowed', { message: 'A dashboard user acts for nobody else.' })
      }
      const { tenant_id, subject, expires_at } = claims
      const values = [tenant_id, environment, subject]
      const [user] = await sql.rows<UserRow>(USER_BY_SUBJECT, values)
      if (!user) throw new ApiError('forbidden', { message: 'The tenant has no such user.' })
      if (user.suspended) throw new ApiError('tenant_suspended')
      const { id, name, role } = user
      return { type: 'USER', tenant_id, environment, id, name, role, scopes: ROLE_SCOPES[role], expires_at }
    },
  }
}
