/** Decides whether a viewer may call an operation. */
import { ApiError } from '../errors.ts'
import type { Access } from './policies.ts'
import type { Role } from './roles.ts'
import type { Viewer } from './viewer.ts'

/** 401 or 403 for a caller who may not call; null for one who may. */
export function refusal(access: Access, viewer: Viewer | null): ApiError | null {
  if (access.kind === 'anyone') return null
  if (!viewer) return new ApiError('unauthenticated', { headers: { 'WWW-Authenticate': 'Bearer' } })
  if (access.kind !== 'only') return viewer.kind.refusal(access, viewer)
  return viewer.kind.type === access.type ? null : new ApiError('forbidden')
}

/** 403 for a role below `required_role`. */
export const forbidden = (required_role: Role, viewer: Viewer): ApiError =>
  viewer.kind.roleRefusal(required_role, viewer)
