import { z } from 'zod'
import { REQUIRED_ROLE, texts, time } from '../details.ts'
import type { ErrorTable } from '../entry.ts'

export const CREDENTIALS = {
  unauthenticated: {
    status: 401,
    message: 'This operation needs a credential.',
    fix: 'Send Authorization: Bearer with an API key or an access token.',
  },
  invalid_credentials: {
    status: 401,
    message: 'The credential is not valid here.',
    fix: 'Check the key or sign in again.',
  },
  credentials_expired: {
    status: 401,
    message: 'The credential has expired.',
    fix: 'Create a new key or sign in again.',
  },
  credentials_revoked: {
    status: 401,
    message: 'The API key has been revoked.',
    fix: 'Use another key.',
  },
  environment_mismatch: {
    status: 401,
    message: 'The credential belongs to another environment.',
    fix: 'Use a credential of this environment.',
  },
  invalid_signature: {
    status: 401,
    message: 'The signature of the address is not valid.',
    fix: 'Use the address exactly as it was given out, or ask for a new one.',
  },
  signature_expired: {
    status: 401,
    message: 'The address has expired.',
    fix: 'Ask for a new one.',
    details: z.object({ expired_at: time('When it expired.', '2026-11-21T11:00:00.000Z') }),
  },
  forbidden: {
    status: 403,
    message: 'The caller may not do this.',
    fix: 'Ask somebody with the role in details.required_role.',
    details: REQUIRED_ROLE,
  },
  tenant_suspended: {
    status: 403,
    message: 'The tenant is suspended.',
    fix: 'Ask the operator of the service to resume the tenant.',
  },
  insufficient_scope: {
    status: 403,
    message: 'The API key lacks a scope.',
    fix: 'Create a key with the scopes in details.required_scopes.',
    details: z.object({
      required_scopes: texts('The scopes that the operation needs.', ['agents:write']),
      granted_scopes: texts('The scopes that the key has.', ['agents:read']),
    }),
  },
  dashboard_jwt_required: {
    status: 403,
    message: 'An API key cannot do this.',
    fix: 'Call as a dashboard user.',
  },
  acting_user_not_allowed: {
    status: 403,
    message: 'The acting user cannot be used with this key.',
    fix: 'Name a user of this tenant, with a key that allows it.',
  },
  ip_not_allowed: {
    status: 403,
    message: 'The API key may not be used from this address.',
    fix: 'Call from one of the networks in the key’s allowed_cidrs, through proxies that tell your address.',
  },
} as const satisfies ErrorTable
