/**
 * The caller of a request, and the kinds of callers there are.
 *
 * viewer: the caller of one request, once the credential has been judged.
 * kind: the sort of a credential, and everything that follows from it: limits, error codes, documentation, permissions.
 * acting user: the dashboard user in whose name an API key calls.
 * channel: the way by which a call reaches the service, if that is not the caller's own; the credential says so.
 * scope: one thing a caller may do, `<area>:<verb>`; a role allows a set of scopes.
 */
import type { ApiError, ErrorCode } from '../errors/errors.ts'
import type { LimitDeclaration } from './limits/catalogue.ts'
import type { LimitScope } from './limits/state.ts'
import type { AccessOfViewer } from './policies/policies.ts'
import type { Role } from './policies/roles.ts'
import type { Scope } from './policies/scopes.ts'

/** API_REQUEST is the service's own channel for requests to its API: some operations wait there for an approval. */
export const CHANNELS = ['API_REQUEST'] as const
export type Channel = (typeof CHANNELS)[number]

/** A user of the tenant in the dashboard, with the role stored now. */
export interface Person {
  id: string
  name: string
  role: Role
}

export interface Viewer {
  kind: ViewerKind
  tenant_id: string
  environment: string
  /** Id of the credential: of the key, or of the user. */
  id: string
  name: string
  /** The scopes that the viewer has now: those of the credential that the roles allow. */
  scopes: ReadonlySet<Scope>
  /** The scopes of the credential itself, whatever the roles allow. */
  own_scopes: ReadonlySet<Scope>
  /** The dashboard user who calls, or in whose name a key calls; null: no role restricts what the viewer sees. */
  person: Person | null
  /** The acting user; null if the viewer calls in their own name. */
  acting_user: Person | null
  /**
   * The credential is the person's own: their token, or a key that they made, whose acting user they are for good.
   * Left out, it is not.
   */
  is_own?: boolean
  /** The user who made the key and has its secret; null or left out: no user did. */
  maker_id?: string | null
  /** The channel of the credential. */
  channel?: Channel | null
  expires_at: Date | null
  /** The end of the overlap after a rotation; null for a credential that was not rotated. */
  sunset_at: Date | null
}

/** The facts of a kind of viewers. */
export interface ViewerKind {
  /** Its name: `principal_type` in answers, `actor_type` of activities. */
  type: string
  description: string
  /** Its security scheme in OpenAPI. */
  security: { name: string; scheme: Record<string, unknown> }
  /** The limits on what such a viewer does, in the order in which they are asked and reported. */
  limits: readonly ViewerLimit[]
  /** The codes with which such a credential can be refused, whatever it calls. */
  errors: readonly ErrorCode[]
  /** The codes with which such a viewer can be refused an operation of the rule. */
  errorsOf(access: AccessOfViewer): readonly ErrorCode[]
  /** The requirement that the rule has for such a viewer; null: none of them may call. */
  requirement(access: AccessOfViewer): Requirement | null
  /** 403 for a viewer who may not call an operation of the rule; null for one who may. */
  refusal(access: AccessOfViewer, viewer: Viewer): ApiError | null
  /** 403 for a viewer without the role. */
  roleRefusal(required_role: Role, viewer: Viewer): ApiError
  /** Its viewers may call only the operations that name it by `only`. */
  named_only?: true
  /** The table that notes when such a viewer was last seen; requests of API keys are counted too. */
  seen_in: 'api_key' | 'tenant_user' | null
}

interface ViewerLimit {
  limit: LimitDeclaration
  scope: LimitScope
  /** The part of a request that the limit counts. */
  counts: 'calls' | 'writes' | 'points'
}

interface Requirement {
  /** The scopes or roles that OpenAPI lists. */
  listed: string[]
  words: string
}

/** The actor of a change: the caller, or the operator of the service. */
export interface Actor extends Pick<Viewer, 'tenant_id' | 'environment' | 'id' | 'name'> {
  kind: Pick<ViewerKind, 'type'>
  acting_user?: { id: string; name: string } | null
  channel?: Channel | null
}

/** The role that restricts what the viewer sees; null for an API key with no acting user, which sees everything. */
export const roleOf = ({ person }: Viewer): Role | null => person?.role ?? null

/** The caller of an operation that is not for anyone. */
export function callerOf({ viewer }: { viewer: Viewer | null }): Viewer {
  if (!viewer) throw new Error('An operation for anyone asked who calls')
  return viewer
}

/** The id of the person who acts: the user, or the acting user; null for an API key with no acting user. */
export const personIdOf = ({ person }: Viewer): string | null => person?.id ?? null

/** The acting user of an API key; null for anybody else's own call. */
export const actingUserIdOf = ({ acting_user }: Actor): string | null => acting_user?.id ?? null

/** The users behind a call: the caller or the acting user, and the user who made the key. */
export const usersBehind = ({ person, maker_id }: Viewer): string[] => [
  ...new Set([person?.id, maker_id].filter((id) => id != null)),
]

/** The key that the call is made with, for itself or for its acting user; null if people call by themselves. */
export const keyOf = ({ person, acting_user, id, name }: Viewer): { id: string; name: string } | null =>
  person && !acting_user ? null : { id, name }

/**
 * The name of the caller, as every record of what they did has it: the person's, with the key's if a key acts for them;
 * else the key's alone. `known_as` is the name by which the record knows the person.
 */
export function recordedName({ person, acting_user, name }: Viewer, known_as = person?.name): string {
  if (known_as === undefined) return name
  return acting_user ? `${known_as} (API key ${name})` : known_as
}
