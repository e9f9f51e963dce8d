/** Signed URLs: until it expires, one lets its holder read what the viewer who made it may see at that moment. */
import { TENANT } from '../limits/catalogue.ts'
import { refusedAddress } from '../policies/authorize.ts'
import { personIdOf, type Viewer, type ViewerKind } from '../viewer.ts'
import { apiKey } from './api-key.ts'
import type { CredentialKind } from './credential.ts'
import { isSigned, signatureOf } from './signature.ts'
import { type FormerViewer, viewerNow } from './viewer-now.ts'

/** The viewer who made the URL. */
interface Grant extends FormerViewer {
  /** The arguments of the download. */
  parameters: Record<string, unknown>
}

/** Every parameter but the signature, in one order. */
function signedText(path: string, query: URLSearchParams): string {
  const parameters = new URLSearchParams([...query].filter(([name]) => name !== 'signature'))
  parameters.sort()
  return `v2\n${path}\n${parameters}`
}

const grantIn = (query: URLSearchParams): Grant =>
  JSON.parse(Buffer.from(query.get('grant') ?? '', 'base64url').toString())

/** The path and query of a URL that the viewer gives out, signed with the first secret. It expires at a whole second. */
export function signedUrl(
  secrets: readonly string[],
  path: string,
  viewer: Viewer,
  parameters: Grant['parameters'],
  expires_at: Date,
): string {
  const { kind, tenant_id, environment, id } = viewer
  const grant: Grant = {
    tenant_id,
    environment,
    parameters,
    key_id: kind.type === apiKey.type ? id : null,
    user_id: personIdOf(viewer),
  }
  const query = new URLSearchParams({
    grant: Buffer.from(JSON.stringify(grant)).toString('base64url'),
    expires: String(Math.floor(expires_at.getTime() / 1000)),
  })
  query.set('signature', signatureOf(secrets[0] ?? '', signedText(path, query)))
  return `${path}?${query}`
}

/** The grant of a URL that some secret signed; 401 for another one, and for one that has expired. */
function judge(secrets: readonly string[], path: string, query: URLSearchParams, now: Date): Grant {
  if (!isSigned(secrets, signedText(path, query), query.get('signature') ?? ''))
    throw refusedAddress('invalid_signature')
  const expires_at = new Date(Number(query.get('expires')) * 1000)
  if (expires_at <= now) throw refusedAddress('signature_expired', { expired_at: expires_at.toISOString() })
  return grantIn(query)
}

/** The parameters in the query of a URL that was judged. */
export const grantedParameters = (query: URLSearchParams): Grant['parameters'] => grantIn(query).parameters

/** The viewer of a signed URL: the one who made it, as they are now. */
interface UrlViewer extends Viewer {
  maker: ViewerKind
}

const makerIn = (viewer: Viewer): ViewerKind => (viewer as UrlViewer).maker

/** The kind of credentials of downloads. Operations take none of it. */
export const signedUrlCredential: CredentialKind = {
  type: 'SIGNED_URL',
  description: 'A signed URL.',
  security: { name: 'signed_url', scheme: { type: 'apiKey', in: 'query', name: 'signature' } },
  limits: [{ limit: TENANT, scope: 'TENANT', counts: 'calls' }],
  errors: ['invalid_signature', 'signature_expired', 'tenant_suspended'],
  errorsOf: () => [],
  requirement: () => null,
  refusal: (access, viewer) => makerIn(viewer).refusal(access, viewer),
  roleRefusal: (role, viewer) => makerIn(viewer).roleRefusal(role, viewer),
  seen_in: null,
  credential: ({ sql, signing_secrets, environment: here }) => ({
    async authenticate({ request, now }) {
      const grant = judge(signing_secrets, request.path, request.query, now)
      if (grant.environment !== here) throw refusedAddress('invalid_signature')
      const maker = await viewerNow(sql, grant, now)
      const viewer: UrlViewer = { ...maker, kind: signedUrlCredential, maker: maker.kind, sunset_at: null }
      return viewer
    },
  }),
}
