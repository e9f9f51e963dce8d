/** Access rules of operations. Every operation names one of these. */
import { ApiError } from '../errors.ts'
import { isAtLeast, ROLES, type Role } from './roles.ts'
import { ROLE_SCOPES, type Scope } from './scopes.ts'
import { roleOf, type Viewer } from './viewer.ts'

export type Access =
  | { kind: 'anyone' }
  | { kind: 'caller' }
  | { kind: 'scope'; scope: Scope }
  | { kind: 'role'; role: Role; scope: Scope }
  | { kind: 'dashboard'; role: Role }

/** Works without a credential. */
export const anyone: Access = { kind: 'anyone' }

/** Any valid credential. */
export const anyCaller: Access = { kind: 'caller' }

/** A key with the scope, or a user whose role allows it. */
export const scope = (name: Scope): Access => ({ kind: 'scope', scope: name })

// Contract silent: a key in nobody's name counts as an admin where its scopes reach.
/** An OWNER or ADMIN; or a key with the scope, in the name of nobody or of an OWNER or ADMIN. */
export const admins = (name: Scope): Access => ({ kind: 'role', role: 'ADMIN', scope: name })

/** An OWNER or ADMIN in the dashboard, never a key. */
export const dashboardAdmins: Access = { kind: 'dashboard', role: 'ADMIN' }

/** The scopes a key needs for it. */
export const requiredScopes = (access: Access): Scope[] => ('scope' in access ? [access.scope] : [])

const leastRoleWith = (name: Scope): Role => ROLES.findLast((role) => ROLE_SCOPES[role].has(name)) ?? 'OWNER'

/**
 * 403 for a role below `required_role`. The message names the user whose role it is: the caller, and for a key the acting
 * user or else the user who created it.
 */
export function forbidden(required_role: Role, viewer: Viewer): ApiError {
  const needed = `This needs the role ${required_role}`
  const because = (message: string) => new ApiError('forbidden', { message, details: { required_role } })
  if (viewer.type === 'USER') return because(`${needed}; yours is ${viewer.role}.`)
  const { acting_user, creator_role } = viewer
  if (acting_user && !isAtLeast(acting_user.role, required_role)) {
    return because(`${needed}; the acting user of the API key has the role ${acting_user.role}.`)
  }
  if (creator_role === null) return because(`${needed}; the user who created the API key is gone.`)
  return because(`${needed}; the user who created the API key has the role ${creator_role}.`)
}

/** `least` is the role that the operation asks for beside the scope. */
function scopeRefusal(name: Scope, viewer: Viewer, least: Role): ApiError | null {
  if (viewer.scopes.has(name)) return null
  if (viewer.type === 'USER' || viewer.own_scopes.has(name)) {
    const role = leastRoleWith(name)
    return forbidden(isAtLeast(role, least) ? role : least, viewer)
  }
  return new ApiError('insufficient_scope', {
    message: `The API key lacks the scope ${name}.`,
    details: { required_scopes: [name], granted_scopes: [...viewer.scopes].sort() },
  })
}

/** Why the viewer may not call, or null. 401 and 403 in the contract's sense. */
export function refusal(access: Access, viewer: Viewer | null): ApiError | null {
  if (access.kind === 'anyone') return null
  if (!viewer) return new ApiError('unauthenticated', { headers: { 'WWW-Authenticate': 'Bearer' } })
  switch (access.kind) {
    case 'caller':
      return null
    case 'scope':
      return scopeRefusal(access.scope, viewer, 'VIEWER')
    case 'role': {
      const refused = scopeRefusal(access.scope, viewer, access.role)
      const role = roleOf(viewer)
      return refused ?? (role && !isAtLeast(role, access.role) ? forbidden(access.role, viewer) : null)
    }
    case 'dashboard':
      if (viewer.type !== 'USER') return new ApiError('dashboard_jwt_required')
      return isAtLeast(viewer.role, access.role) ? null : forbidden(access.role, viewer)
  }
}
