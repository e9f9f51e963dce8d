/** Access policies as OpenAPI security requirements and in words. */
import type { Access } from '../../access/policies.ts'
import { ROLES, type Role } from '../../access/roles.ts'
import { ROLE_SCOPES, type Scope } from '../../access/scopes.ts'
import type { Json } from './json.ts'

export const SECURITY_SCHEMES: Record<string, Json> = {
  api_key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_sk_<env>_<secret>',
    description: 'An API key of a service account. What an operation lists is the scope that the key needs.',
  },
  dashboard_jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token of a dashboard user. What an operation lists is the least role that the user needs ' +
      'of OWNER, ADMIN, USER and VIEWER.',
  },
}

const leastRole = (scope: Scope): Role => ROLES.findLast((role) => ROLE_SCOPES[role].has(scope)) ?? 'OWNER'

/** The security requirement; `{}` in it means that no credential is needed. */
export function securityOf(access: Access): Json[] {
  switch (access.kind) {
    case 'anyone':
      return [{}, { api_key: [] }, { dashboard_jwt: [] }]
    case 'caller':
      return [{ api_key: [] }, { dashboard_jwt: [] }]
    case 'scope':
      return [{ api_key: [access.scope] }, { dashboard_jwt: [leastRole(access.scope)] }]
    case 'role':
      return [{ api_key: [access.scope] }, { dashboard_jwt: [access.role] }]
    case 'dashboard':
      return [{ dashboard_jwt: [access.role] }]
  }
}

const keyWith = (scope: Scope): string => `an API key with the scope \`${scope}\``
const userWith = (role: Role): string => `a dashboard user with the role ${role} or above`

/** The access policy in words. */
export function whoMayCall(access: Access): string {
  switch (access.kind) {
    case 'anyone':
      return 'Needs no credential; one that is sent must be valid, and its own limits apply.'
    case 'caller':
      return 'Needs any valid credential.'
    case 'scope':
      return `Needs ${keyWith(access.scope)}, or ${userWith(leastRole(access.scope))}.`
    case 'role':
      return `Needs ${userWith(access.role)}; or ${keyWith(access.scope)}, with no acting user or with one of that role.`
    case 'dashboard':
      return `Needs ${userWith(access.role)}; API keys are refused.`
  }
}
