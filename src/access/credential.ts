/**
 * Judging the credential of a call.
 *
 * kind: one sort of bearer token. Another sort is another `CredentialKind` in the list that `app.ts` makes.
 */
import { ApiError, type ErrorCode } from '../errors.ts'
import type { Viewer } from './viewer.ts'

/** The limits by address on looking up credentials that have not proved themselves lately; 429 beyond them. */
export interface AddressGuard {
  /** Before an API key is looked up. */
  key(): Promise<void>
  /** Before a user is looked up: charges the address for the call. The result takes that back: nobody is charged yet. */
  user(): Promise<() => void>
}

export interface CallFacts {
  guard: AddressGuard
  /** The client's address. */
  ip: string
  acting_user_header: string | undefined
  now: Date
}

export interface CredentialKind {
  name: string
  /** Whether the token looks like one of this kind. At most one kind recognises a token. */
  recognises(token: string): boolean
  /** The caller, or an ApiError. */
  authenticate(token: string, call: CallFacts): Promise<Viewer>
}

/** Whether the token has the form of a signed JWT. */
export const isCompactJws = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)

/** A kind that is loaded when the first token of its sort comes. */
export function loadedLater(
  { name, recognises }: Pick<CredentialKind, 'name' | 'recognises'>,
  load: () => Promise<CredentialKind>,
): CredentialKind {
  let loaded: Promise<CredentialKind> | undefined
  return {
    name,
    recognises,
    authenticate: async (token, call) => {
      loaded ??= load()
      return (await loaded).authenticate(token, call)
    },
  }
}

type Refusal = Extract<
  ErrorCode,
  'invalid_credentials' | 'credentials_expired' | 'credentials_revoked' | 'environment_mismatch'
>

const MAX_TOKEN_BYTES = 8192
const BEARER = /^Bearer +([\x21-\x7e]+)$/i

/** 401 for a token that was presented and judged. */
export const refusedToken = (code: Refusal, options: { message?: string; cause?: unknown } = {}): ApiError =>
  new ApiError(code, { ...options, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } })

/** A row that every tenant has; 401 where the tenant was deleted after the credential was judged. */
export function ofTenant<Row>(row: Row | undefined): Row {
  if (row === undefined) throw refusedToken('invalid_credentials')
  return row
}

/** The caller; null where the Authorization header is missing or empty; an ApiError for a credential that is not good. */
export async function authenticate(
  kinds: readonly CredentialKind[],
  authorizationHeader: string | undefined,
  call: CallFacts,
): Promise<Viewer | null> {
  const presented = authorizationHeader?.trim()
  if (!presented) return null
  const token = BEARER.exec(presented)?.[1]
  if (token === undefined) {
    throw new ApiError('invalid_credentials', {
      message: 'The Authorization header must be Bearer and a token.',
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  }
  const kind = token.length <= MAX_TOKEN_BYTES ? kinds.find((one) => one.recognises(token)) : undefined
  if (!kind) throw refusedToken('invalid_credentials')
  return kind.authenticate(token, call)
}
