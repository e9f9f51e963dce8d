/** Access rules of operations. Every operation names one of these. */
import type { Role } from './roles.ts'
import type { Scope } from './scopes.ts'

export type Access =
  | { kind: 'anyone' }
  | { kind: 'caller' }
  | { kind: 'scope'; scope: Scope }
  | { kind: 'role'; role: Role; scope: Scope }
  | { kind: 'dashboard'; role: Role }
  | { kind: 'only'; type: string }

/** The rules that each kind of viewers decides by itself. */
export type AccessOfViewer = Exclude<Access, { kind: 'anyone' | 'only' }>

/** Works without a credential. */
export const anyone: Access = { kind: 'anyone' }

/** An API key or a dashboard user. */
export const anyCaller: Access = { kind: 'caller' }

/** A key with the scope, or a user whose role allows it. */
export const scope = (name: Scope): Access => ({ kind: 'scope', scope: name })

// Contract silent: an API key with no acting user counts as an admin where its scopes reach.
/** An OWNER or ADMIN; or a key with the scope that has no acting user, or one with such a role. */
export const admins = (name: Scope): Access => ({ kind: 'role', role: 'ADMIN', scope: name })

/** An OWNER or ADMIN in the dashboard, never a key. */
export const dashboardAdmins: Access = { kind: 'dashboard', role: 'ADMIN' }

/** Viewers of one kind, such as the webhook of a system. They may call no other operation that needs a credential. */
export const only = (type: string): Access => ({ kind: 'only', type })

/** The scopes a key needs for it. */
export const requiredScopes = (access: Access): Scope[] => ('scope' in access ? [access.scope] : [])
