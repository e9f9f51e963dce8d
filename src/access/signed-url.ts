/** Signed URLs: until it expires, one lets whoever has it read what the viewer who made it could see then. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { statement } from '../db/sql.ts'
import { ApiError } from '../errors.ts'
import type { CredentialKind } from './credential.ts'
import { TENANT } from './limits/catalogue.ts'
import type { Role } from './roles.ts'
import type { Viewer } from './viewer.ts'

interface Grant {
  tenant_id: string
  environment: string
  /** The credential that made the URL. */
  id: string
  /** The person who restricts what is seen; null: nobody does. */
  person: { id: string; role: Role } | null
  /** The arguments of the download. */
  parameters: Record<string, unknown>
}

/** Every parameter but the signature, in one order. */
function signedText(path: string, query: URLSearchParams): string {
  const parameters = new URLSearchParams([...query].filter(([name]) => name !== 'signature'))
  parameters.sort()
  return `v1\n${path}\n${parameters}`
}

const signatureOf = (secret: string, text: string): Buffer =>
  Buffer.from(createHmac('sha256', secret).update(text).digest('base64url'))

const grantIn = (query: URLSearchParams): Grant =>
  JSON.parse(Buffer.from(query.get('grant') ?? '', 'base64url').toString())

/** The path and query of a URL that the viewer gives out, signed with the first secret. It expires at a whole second. */
export function signedUrl(
  secrets: readonly string[],
  path: string,
  { tenant_id, environment, id, person }: Viewer,
  parameters: Grant['parameters'],
  expires_at: Date,
): string {
  const grant: Grant = {
    ...{ tenant_id, environment, id, parameters },
    person: person && { id: person.id, role: person.role },
  }
  const query = new URLSearchParams({
    grant: Buffer.from(JSON.stringify(grant)).toString('base64url'),
    expires: String(Math.floor(expires_at.getTime() / 1000)),
  })
  query.set('signature', signatureOf(secrets[0] ?? '', signedText(path, query)).toString())
  return `${path}?${query}`
}

/** The grant of a URL that some secret signed; 401 for another one, and for one that has expired. */
function judge(secrets: readonly string[], path: string, query: URLSearchParams, now: Date): Grant {
  const text = signedText(path, query)
  const given = Buffer.from(query.get('signature') ?? '')
  const is_ours = secrets
    .map((secret) => signatureOf(secret, text))
    .some((own) => own.length === given.length && timingSafeEqual(own, given))
  if (!is_ours) throw new ApiError('invalid_signature')
  const expires_at = new Date(Number(query.get('expires')) * 1000)
  if (expires_at <= now)
    throw new ApiError('signature_expired', { details: { expired_at: expires_at.toISOString() } })
  return grantIn(query)
}

/** The parameters in the query of a URL that was judged. */
export const grantedParameters = (query: URLSearchParams): Grant['parameters'] => grantIn(query).parameters

const TENANT_STATE = statement(
  'signed_url.tenant',
  'select suspended_at is not null as suspended from tenant where id = $1::text',
)

/** The kind of credentials of downloads. Operations take none of it. */
export const signedUrlCredential: CredentialKind = {
  type: 'SIGNED_URL',
  description: 'A signed URL.',
  security: { name: 'signed_url', scheme: { type: 'apiKey', in: 'query', name: 'signature' } },
  limits: [{ limit: TENANT, scope: 'TENANT', counts: 'calls' }],
  errors: ['invalid_signature', 'signature_expired', 'tenant_suspended'],
  errorsOf: () => [],
  requirement: () => null,
  refusal: () => new ApiError('forbidden'),
  roleRefusal: () => new ApiError('forbidden'),
  seen_in: null,
  credential: ({ sql, signing_secrets, environment: here }) => ({
    async authenticate({ request, now }) {
      const grant = judge(signing_secrets, request.path, request.query, now)
      const { tenant_id, environment, id, person } = grant
      if (environment !== here) throw new ApiError('invalid_signature')
      const [tenant] = await sql.rows<{ suspended: boolean }>(TENANT_STATE, [tenant_id])
      if (!tenant) throw new ApiError('invalid_signature')
      if (tenant.suspended) throw new ApiError('tenant_suspended')
      return {
        ...{ kind: signedUrlCredential, tenant_id, environment, id },
        name: '',
        scopes: new Set<never>(),
        own_scopes: new Set<never>(),
        person: person && { ...person, name: '' },
        acting_user: null,
        expires_at: null,
        sunset_at: null,
      }
    },
  }),
}
