/** Access rules of operations. Every operation names one of these. */
import type { Role } from './roles.ts'
import type { Scope } from './scopes.ts'

export type Access =
  | { kind: 'anyone' }
  | { kind: 'caller' }
  | { kind: 'scope'; scopes: readonly Scope[] }
  | { kind: 'role'; role: Role; scope: Scope }
  | { kind: 'person'; scope: Scope }
  | { kind: 'dashboard'; role: Role; directly?: true }
  | { kind: 'only'; type: string; others: 'forbidden' | 'invalid_credentials' }
  | { kind: 'signed'; type: string }

/** The rules that each kind of viewers decides by itself. */
export type AccessOfViewer = Exclude<Access, { kind: 'anyone' | 'only' | 'signed' }>

/** Works without a credential. */
export const anyone: Access = { kind: 'anyone' }

/** An API key or a dashboard user. */
export const anyCaller: Access = { kind: 'caller' }

/** A key with every one of the scopes, or a user whose role allows them. */
export const scope = (...scopes: Scope[]): Access => ({ kind: 'scope', scopes })

// Contract silent: an API key with no acting user counts as an admin if its scopes reach.
/** An OWNER or ADMIN; or a key with the scope that has no acting user, or one with such a role. */
export const admins = (name: Scope): Access => ({ kind: 'role', role: 'ADMIN', scope: name })

/** A user whose role allows the scope; or a key with it that acts for a user: for what each user has of their own. */
export const people = (name: Scope): Access => ({ kind: 'person', scope: name })

/** An OWNER or ADMIN in the dashboard, never a key. */
export const dashboardAdmins: Extract<Access, { kind: 'dashboard' }> = { kind: 'dashboard', role: 'ADMIN' }

/** The same, and not through the API-request channel, which a key would lead out of. */
export const dashboardAdminsDirectly: Access = { ...dashboardAdmins, directly: true }

/**
 * Viewers of one kind, such as the webhook of a system. They may call no other operation that needs a credential.
 * `others` is the code with which viewers of other kinds are refused.
 */
export const only = (
  type: string,
  others: Extract<Access, { kind: 'only' }>['others'] = 'forbidden',
): Access => ({ kind: 'only', type, others })

/**
 * The holder of an address that the service signed, a viewer of one kind: over REST no header counts. The arguments of the operation
 * are the parts of the address, over GraphQL too.
 */
export const signedFor = (type: string): Access => ({ kind: 'signed', type })

/** The scopes a key needs for it. */
export const requiredScopes = (access: Access): readonly Scope[] => {
  if (access.kind === 'scope') return access.scopes
  return access.kind === 'role' || access.kind === 'person' ? [access.scope] : []
}
