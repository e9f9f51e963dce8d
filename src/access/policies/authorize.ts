/** Decides whether a viewer may call an operation. */
import { ApiError } from '../../errors/errors.ts'
import type { Viewer } from '../viewer.ts'
import type { Access } from './policies.ts'
import type { Role } from './roles.ts'

/** 401 or 403 for a caller who may not call; null for one who may. */
export function refusal(access: Access, viewer: Viewer | null): ApiError | null {
  if (access.kind === 'anyone') return null
  if (access.kind === 'signed')
    return viewer?.kind.type === access.type ? null : refusedAddress('invalid_signature')
  if (!viewer) return new ApiError('unauthenticated', { headers: { 'WWW-Authenticate': 'Bearer' } })
  if (access.kind !== 'only') return viewer.kind.refusal(access, viewer)
  if (viewer.kind.type === access.type) return null
  return access.others === 'forbidden' ? new ApiError('forbidden') : wrongCredential()
}

/** 401 for a signed URL. */
export const refusedAddress = (
  code: 'invalid_signature' | 'signature_expired',
  details: { expired_at?: string } = {},
): ApiError => new ApiError(code, { details, headers: { 'WWW-Authenticate': 'SignedUrl' } })

/** 401 for a credential that is good elsewhere. */
const wrongCredential = (): ApiError =>
  new ApiError('invalid_credentials', { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } })

/** 403 for a role below `required_role`. */
export const forbidden = (required_role: Role, viewer: Viewer): ApiError =>
  viewer.kind.roleRefusal(required_role, viewer)
