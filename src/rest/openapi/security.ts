/** Access policies as OpenAPI security requirements and in words. */
import { CREDENTIAL_KINDS } from '../../access/credentials/credential-kinds.ts'
import type { Access } from '../../access/policies/policies.ts'
import type { Json } from './json.ts'

export const SECURITY_SCHEMES: Record<string, Json> = Object.fromEntries(
  CREDENTIAL_KINDS.map(({ security: { name, scheme } }) => [name, scheme]),
)

/** The sentence as a part of another one. */
const inSentence = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')

/** The needs of each kind of credentials that may call. */
function requirements(access: Access) {
  return CREDENTIAL_KINDS.flatMap((kind) => {
    const { security, type, description, named_only } = kind
    if (access.kind === 'anyone' && named_only) return []
    if (access.kind === 'anyone') return { name: security.name, listed: [], words: description }
    if (access.kind === 'only' || access.kind === 'signed') {
      return access.type === type ? { name: security.name, listed: [], words: inSentence(description) } : []
    }
    const required = kind.requirement(access)
    return required ? { name: security.name, ...required } : []
  })
}

/** The security requirement; `{}` in it means that no credential is needed. */
export const securityOf = (access: Access): Json[] => [
  ...(access.kind === 'anyone' ? [{}] : []),
  ...requirements(access).map(({ name, listed }) => ({ [name]: listed })),
]

/** The access policy in words. */
export function whoMayCall(access: Access): string {
  if (access.kind === 'anyone') {
    return 'Needs no credential; one that is sent must be valid, and its own limits apply.'
  }
  const needs = requirements(access).map(({ words }) => words)
  return `Needs ${needs.join(', or ')}${needs.length === 1 ? '; no other credential is accepted' : ''}.`
}
