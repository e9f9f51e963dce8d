/** Dashboard users: people with a role, who present an access token of the identity provider. */
import { ApiError } from '../../errors/errors.ts'
import { GRAPHQL_POINTS, type LimitDeclaration, TENANT } from '../limits/catalogue.ts'
import { isAtLeast, type Role } from '../policies/roles.ts'
import { leastRoleWith, type Scope } from '../policies/scopes.ts'
import { roleOf, type Viewer } from '../viewer.ts'
import { bearerCredential, type CredentialKind, isCompactJws } from './credential.ts'

const DASHBOARD_USER: LimitDeclaration = {
  name: 'dashboard_user',
  item: 'user',
  quota: 1200,
  window_seconds: 60,
}
const DASHBOARD_USER_WRITES: LimitDeclaration = {
  name: 'dashboard_user_writes',
  item: 'user-writes',
  quota: 300,
  window_seconds: 60,
}

const roleRefusal = (required_role: Role, viewer: Viewer): ApiError =>
  new ApiError('forbidden', {
    message: `This needs the role ${required_role}; yours is ${roleOf(viewer)}.`,
    details: { required_role },
  })

/** 403 for a role that lacks the scope, or is below `least`. */
function scopeRefusal(scopes: readonly Scope[], least: Role, viewer: Viewer): ApiError | null {
  if (scopes.every((name) => viewer.scopes.has(name)))
    return hasRole(least, viewer) ? null : roleRefusal(least, viewer)
  const role = leastRoleWith(scopes)
  return roleRefusal(isAtLeast(role, least) ? role : least, viewer)
}

const hasRole = (least: Role, viewer: Viewer): boolean => isAtLeast(roleOf(viewer) ?? 'VIEWER', least)

const NOT_DIRECT = 'The API-request channel cannot do this: the dashboard user calls directly.'

const withRole = (role: Role) => ({
  listed: [role],
  words: `a dashboard user with the role ${role} or above`,
})

export const dashboardUser: CredentialKind = {
  type: 'USER',
  description: 'A dashboard user’s access token.',
  security: {
    name: 'dashboard_jwt',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'The access token of a dashboard user. What an operation lists is the least role that the user needs ' +
        'of OWNER, ADMIN, USER and VIEWER.',
    },
  },
  limits: [
    { limit: DASHBOARD_USER, scope: 'USER', counts: 'calls' },
    { limit: DASHBOARD_USER_WRITES, scope: 'USER', counts: 'writes' },
    { limit: TENANT, scope: 'TENANT', counts: 'calls' },
    { limit: GRAPHQL_POINTS, scope: 'USER', counts: 'points' },
  ],
  errors: [
    'invalid_credentials',
    'credentials_expired',
    'environment_mismatch',
    'forbidden',
    'tenant_suspended',
    'acting_user_not_allowed',
  ],
  errorsOf: () => [],
  requirement(access) {
    switch (access.kind) {
      case 'caller':
        return { listed: [], words: 'a dashboard user' }
      case 'scope':
        return withRole(leastRoleWith(access.scopes))
      case 'person':
        return withRole(leastRoleWith([access.scope]))
      default:
        return withRole(access.role)
    }
  },
  refusal(access, viewer) {
    switch (access.kind) {
      case 'caller':
        return null
      case 'scope':
        return scopeRefusal(access.scopes, 'VIEWER', viewer)
      case 'person':
        return scopeRefusal([access.scope], 'VIEWER', viewer)
      case 'role':
        return scopeRefusal([access.scope], access.role, viewer)
      case 'dashboard':
        if (!hasRole(access.role, viewer)) return roleRefusal(access.role, viewer)
        return access.directly && viewer.channel
          ? new ApiError('dashboard_jwt_required', { message: NOT_DIRECT })
          : null
    }
  },
  roleRefusal,
  seen_in: 'tenant_user',
  credential({ sql, environment, issuer, jwt_max_age_seconds: max_age_seconds }) {
    if (!issuer) return null
    // Loaded when the first token comes: verifying takes a library that API keys do not need.
    const load = async () => {
      const { verifiedUser } = await import('./dashboard-jwt.ts')
      return verifiedUser({
        ...issuer,
        sql,
        environment,
        max_age_seconds,
        kind: dashboardUser,
        keys: await issuer.keys(),
      })
    }
    let loading: ReturnType<typeof load> | undefined
    return bearerCredential(isCompactJws, async (token, presented) => {
      loading ??= load()
      return await (await loading)(token, presented)
    })
  },
}
