/** The rules of health and of discovery. */
import { refusal } from '../../access/policies/authorize.ts'
import { type Access, requiredScopes } from '../../access/policies/policies.ts'
import type { Scope } from '../../access/policies/scopes.ts'
import type { Viewer } from '../../access/viewer.ts'
import type { ErrorCode } from '../../errors/errors.ts'
import { BASE_PATH } from '../../lib/api.ts'

/** From best to worst. */
const HEALTH = ['OK', 'DEGRADED', 'DOWN'] as const
export type Health = (typeof HEALTH)[number]

/** One thing the service needs, and how long it took to answer or to be given up. */
export interface Check {
  status: Health
  latency_ms: number
}

/** Milliseconds after which an answer is a slow one. */
const SLOW_MS = 250

/** The health of a dependency, by its answer and latency. */
export function healthOf(answered: boolean, latency_ms: number): Health {
  if (!answered) return 'DOWN'
  return latency_ms > SLOW_MS ? 'DEGRADED' : 'OK'
}

/** The health of the service: that of its worst dependency. */
export const worstHealth = (checks: readonly Check[]): Health =>
  HEALTH.findLast((health) => checks.some(({ status }) => status === health)) ?? 'OK'

interface Callable {
  /** The `operationId` in OpenAPI. */
  id: string
  name: string
  rest: { method: string; path: string }
  access: Access
  approval?: { group: string }
}

/** One operation, as far as a caller is concerned. */
export interface CallerAccess {
  name: string
  graphql_field: string
  method: string
  path: string
  allowed: boolean
  missing_scopes: Scope[]
  reason: ErrorCode | null
  /** The permission group whose approvers decide about calls through the API-request channel. */
  approval_group: string | null
}

/** The outcome of a call of the operation by the viewer. */
export function discoverOperation(
  { id, name, rest, access, approval }: Callable,
  viewer: Viewer,
): CallerAccess {
  const refused = refusal(access, viewer)
  // A scope that the key has and a role does not allow is not missing: `reason` is `forbidden` then.
  return {
    name: id,
    graphql_field: name,
    method: rest.method,
    path: BASE_PATH + rest.path,
    allowed: refused === null,
    missing_scopes: requiredScopes(access).filter((scope) => !viewer.own_scopes.has(scope)),
    reason: refused?.code ?? null,
    approval_group: approval?.group ?? null,
  }
}
