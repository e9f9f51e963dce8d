/** API keys: service accounts with scopes of their own. */
import { ApiError } from '../../errors/errors.ts'
import { GRAPHQL_POINTS, type LimitDeclaration, TENANT } from '../limits/catalogue.ts'
import { isAtLeast, type Role } from '../policies/roles.ts'
import { leastRoleWith, type Scope } from '../policies/scopes.ts'
import { apiKeyCredential, type ServiceAccount } from './api-key-credential.ts'
import type { CredentialKind } from './credential.ts'

const SERVICE_KEY: LimitDeclaration = {
  name: 'service_key',
  item: 'key',
  quota: 600,
  window_seconds: 60,
  burst: { quota: 60, window_seconds: 1 },
}
const SERVICE_KEY_WRITES: LimitDeclaration = {
  name: 'service_key_writes',
  item: 'writes',
  quota: 120,
  window_seconds: 60,
}

/** The message names the user whose role it is: the acting user, or else the user who created the key. */
function roleRefusal(required_role: Role, { acting_user, creator_role }: ServiceAccount): ApiError {
  const needed = `This needs the role ${required_role}`
  const because = (message: string) => new ApiError('forbidden', { message, details: { required_role } })
  if (acting_user && !isAtLeast(acting_user.role, required_role)) {
    return because(`${needed}; the acting user of the API key has the role ${acting_user.role}.`)
  }
  if (creator_role === null) return because(`${needed}; the user who created the API key is gone.`)
  return because(`${needed}; the user who created the API key has the role ${creator_role}.`)
}

/** 403 for a key without the scope, or with a scope that the roles do not allow. `least` is the role that is needed too. */
function scopeRefusal(scopes: readonly Scope[], least: Role, key: ServiceAccount): ApiError | null {
  const lacking = scopes.find((name) => !key.scopes.has(name))
  if (lacking === undefined) return null
  if (key.own_scopes.has(lacking)) {
    const role = leastRoleWith([lacking])
    return roleRefusal(isAtLeast(role, least) ? role : least, key)
  }
  return new ApiError('insufficient_scope', {
    message: `The API key lacks the scope ${lacking}.`,
    details: { required_scopes: scopes, granted_scopes: [...key.scopes].sort() },
  })
}

const withScopes = (scopes: readonly Scope[]): string => {
  const names = scopes.map((name) => `\`${name}\``).join(' and ')
  return `an API key with the scope${scopes.length > 1 ? 's' : ''} ${names}`
}

export const apiKey: CredentialKind = {
  type: 'API_KEY',
  description: 'An API key: a service account.',
  security: {
    name: 'api_key',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'svc_sk_<env>_<secret>',
      description:
        'An API key of a service account. What an operation lists is the scope that the key needs.',
    },
  },
  limits: [
    { limit: SERVICE_KEY, scope: 'KEY', counts: 'calls' },
    { limit: SERVICE_KEY_WRITES, scope: 'KEY', counts: 'writes' },
    { limit: TENANT, scope: 'TENANT', counts: 'calls' },
    { limit: GRAPHQL_POINTS, scope: 'KEY', counts: 'points' },
  ],
  errors: [
    'invalid_credentials',
    'credentials_expired',
    'credentials_revoked',
    'environment_mismatch',
    'tenant_suspended',
    'acting_user_not_allowed',
    'ip_not_allowed',
  ],
  errorsOf({ kind }) {
    if (kind === 'caller') return []
    if (kind === 'person') return ['insufficient_scope', 'forbidden', 'acting_user_required']
    return kind === 'dashboard' ? ['dashboard_jwt_required'] : ['insufficient_scope', 'forbidden']
  },
  requirement(access) {
    switch (access.kind) {
      case 'caller':
        return { listed: [], words: 'an API key' }
      case 'scope':
        return { listed: [...access.scopes], words: withScopes(access.scopes) }
      case 'person':
        return { listed: [access.scope], words: `${withScopes([access.scope])} and an acting user` }
      case 'role': {
        const words = `${withScopes([access.scope])} and no acting user with a role below ${access.role}`
        return { listed: [access.scope], words }
      }
      case 'dashboard':
        return null
    }
  },
  refusal(access, key: ServiceAccount) {
    switch (access.kind) {
      case 'caller':
        return null
      case 'scope':
        return scopeRefusal(access.scopes, 'VIEWER', key)
      case 'person': {
        const refused = scopeRefusal([access.scope], 'VIEWER', key)
        return refused ?? (key.acting_user ? null : new ApiError('acting_user_required'))
      }
      case 'role': {
        const refused = scopeRefusal([access.scope], access.role, key)
        const { acting_user } = key
        const isBelow = acting_user !== null && !isAtLeast(acting_user.role, access.role)
        return refused ?? (isBelow ? roleRefusal(access.role, key) : null)
      }
      case 'dashboard':
        return new ApiError('dashboard_jwt_required')
    }
  },
  roleRefusal,
  seen_in: 'api_key',
  credential: (options) => apiKeyCredential(apiKey, options),
}
