/**
 * Who is calling.
 *
 * viewer: the caller of one request, once the credential has been judged.
 * acting user: the user in whose name a service key calls.
 * scope: one thing a caller may do, `<area>:<verb>`; what a role allows is a set of scopes.
 */
import type { Role } from './roles.ts'
import type { Scope } from './scopes.ts'

interface Caller {
  tenant_id: string
  environment: string
  /** Id of the key or of the user. */
  id: string
  name: string
  /** What the caller may do now, everything considered. */
  scopes: ReadonlySet<Scope>
  expires_at: Date | null
}

export interface ServiceAccount extends Caller {
  type: 'API_KEY'
  /** The scopes that the key itself has, whatever the roles allow. */
  own_scopes: ReadonlySet<Scope>
  /** The role of the key's creator now; null where the creator is gone. */
  creator_role: Role | null
  /** The end of the overlap after a rotation; null for a key that was not rotated. */
  sunset_at: Date | null
  /** The acting user, with the role stored for them now. */
  acting_user: { id: string; name: string; role: Role } | null
}

export interface DashboardUser extends Caller {
  type: 'USER'
  role: Role
}

export type Viewer = ServiceAccount | DashboardUser

/** The actor of a change: the caller, or the operator of the service. */
export interface Actor extends Pick<Caller, 'tenant_id' | 'environment' | 'id' | 'name'> {
  type: Viewer['type'] | 'SYSTEM'
  acting_user?: { id: string } | null
}

/** The role that decides what the viewer may see; null for a key in nobody's name, which sees everything. */
export const roleOf = (viewer: Viewer): Role | null =>
  viewer.type === 'USER' ? viewer.role : (viewer.acting_user?.role ?? null)

/** The caller of an operation that is not for anyone. */
export function callerOf({ viewer }: { viewer: Viewer | null }): Viewer {
  if (!viewer) throw new Error('An operation for anyone asked who calls')
  return viewer
}

/** The id of the person who acts: the user, or the one in whose name the key calls; null for a key in nobody's name. */
export const personIdOf = (viewer: Viewer): string | null =>
  viewer.type === 'USER' ? viewer.id : (viewer.acting_user?.id ?? null)

/** The user in whose name a key calls; null for anybody else's own call. */
export const actingUserIdOf = ({ acting_user }: Actor): string | null => acting_user?.id ?? null

/** The name of the person who acts: the user, or the one in whose name the key calls; else the key's. */
export const personOf = (viewer: Viewer): string =>
  (viewer.type === 'API_KEY' && viewer.acting_user?.name) || viewer.name
