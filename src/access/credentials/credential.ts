/** Finds the credential of a request among all kinds of credentials, and authenticates it. */
import type { JWTVerifyGetKey } from 'jose'
import type { Sql } from '../../db/sql.ts'
import { ApiError, type ErrorCode } from '../../errors/errors.ts'
import type { Viewer, ViewerKind } from '../viewer.ts'
import type { Peppers } from './api-key-secret.ts'

/** A kind of credentials: one file declares it with its viewers, and the list in `credential-kinds.ts` names it. */
export interface CredentialKind extends ViewerKind {
  /** The authenticator of such credentials; null if the service is not configured to take any. */
  credential(options: CredentialOptions): Credential | null
}

/** An identity provider. */
export interface Issuer {
  issuer: string
  audience: string
  /** Loads the keys that verify its tokens. */
  keys: () => Promise<JWTVerifyGetKey>
}

/** The secrets and connections that authenticate credentials. */
export interface CredentialOptions {
  sql: Sql
  environment: string
  key_peppers: Peppers
  signing_secrets: readonly string[]
  issuer: Issuer | null
  /** The oldest that a JWT may be, and the longest that it may be valid for. */
  jwt_max_age_seconds: number
  /** The identity provider of end users in chat apps. `{tenant}` in its issuer stands for a workplace-suite tenant. */
  chat_issuer: Issuer | null
}

/** Authenticates the credentials of one kind. */
export interface Credential {
  /** The viewer; null if the request has no credential of this kind; throws if it has one that is not good. */
  authenticate(presented: CredentialRequest): Promise<Viewer | null> | null
}

/** The parts of a request that credentials may read. */
export interface CredentialRequest {
  request: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string | string[] | undefined>>
    readonly query: URLSearchParams
    /** The bytes of the body as they were sent. */
    body(): Promise<Buffer>
  }
  /** The bearer token in the Authorization header. */
  token: string | null
  /** The client's address; null if it is not sure. */
  ip: string | null
  now: Date
  guard: AddressGuard
}

/** The limits by address on lookups of credentials that were not valid lately; 429 beyond them. */
export interface AddressGuard {
  /** Before an API key is looked up. */
  key(): Promise<void>
  /** Before a user is looked up: charges the address for the call. The result refunds the charge. */
  user(): Promise<() => void>
}

const MAX_TOKEN_BYTES = 8192
const BEARER = /^Bearer +([\x21-\x7e]+)$/i

/** The viewer of the request; null if it has no credential; an ApiError for one that is not good. */
export async function authenticate(
  credentials: readonly Credential[],
  { request, ip, now, guard }: Omit<CredentialRequest, 'token'>,
): Promise<Viewer | null> {
  const authorization = String(request.headers.authorization ?? '').trim()
  const bearer = authorization === '' ? undefined : BEARER.exec(authorization)?.[1]
  const token = bearer !== undefined && bearer.length <= MAX_TOKEN_BYTES ? bearer : null
  const presented = { request, token, ip, now, guard }
  for (const credential of credentials) {
    const judged = credential.authenticate(presented)
    const viewer = judged && (await judged)
    if (viewer) return viewer
  }
  if (authorization === '') return null
  if (bearer !== undefined) throw refusedToken('invalid_credentials')
  throw new ApiError('invalid_credentials', {
    message: 'The Authorization header must be Bearer and a token.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  })
}

/** A credential that comes as a bearer token. Of several kinds that recognise one, the first in the list judges it. */
export const bearerCredential = (
  recognises: (token: string) => boolean,
  judge: (token: string, presented: CredentialRequest) => Promise<Viewer>,
): Credential => ({
  authenticate: (presented) => {
    const { token } = presented
    return token !== null && recognises(token) ? judge(token, presented) : null
  },
})

/** True if the token has the form of a signed JWT. */
export const isCompactJws = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)

/** The value of a header; several headers of the name are one list. */
export const headerOf = (
  { headers }: Pick<CredentialRequest['request'], 'headers'>,
  name: string,
): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** The user that the request asks its key to act for. */
export const actingUserHeader = ({ request }: CredentialRequest): string | undefined =>
  headerOf(request, 'x-acting-user')

type Refusal = Extract<
  ErrorCode,
  'invalid_credentials' | 'credentials_expired' | 'credentials_revoked' | 'environment_mismatch'
>

/** 401 for a token that was presented and judged. */
export const refusedToken = (code: Refusal, options: { message?: string; cause?: unknown } = {}): ApiError =>
  new ApiError(code, { ...options, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } })

/** A row that every tenant has; 401 if the tenant was deleted after the credential was judged. */
export function requireTenantRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw refusedToken('invalid_credentials')
  return row
}
