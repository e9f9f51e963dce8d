/** Requests of adapters whose vendor gives access tokens for client credentials (OAuth 2). */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Exchanged, OpenedConnection } from '../adapter.ts'
import type { VendorAnswer } from './client.ts'
import { VendorFailure } from './failure.ts'
import { fitting, maybe } from './forms.ts'
import type { IssuedToken, Tokens } from './tokens.ts'

/** A token that goes into a header. */
const TOKEN = z.object({
  access_token: z.string().regex(/^[!-~]{1,16000}$/),
  expires_in: z.coerce.number().positive(),
})

/** A refresh token that takes the place of another one. */
const REPLACEMENT = z.object({ refresh_token: maybe(z.string().regex(/^[!-~]{1,16000}$/)) })

/** Settings that the vendor may replace when they are used. */
const REPLACED: ReadonlySet<string> = new Set(['refresh_token'])

/** The token that the vendor answered with. */
export function tokenIn(system: string, answer: VendorAnswer): IssuedToken {
  if (!answer.is_ok) throw new VendorFailure(`${system} does not accept the client`, { kind: 'CREDENTIALS' })
  const token = fitting(system, 'token', TOKEN, answer.body)
  return { access_token: token.access_token, expires_in_seconds: token.expires_in }
}

/**
 * The name under which the things of a connection are kept: another one, if its settings are changed. A secret that the vendor
 * replaces does not change it.
 */
export function nameOf({ connection_id, revision = 0, settings }: OpenedConnection): string {
  const lasting = Object.entries(settings).filter(([name]) => !REPLACED.has(name))
  return `${connection_id} ${revision} ${createHash('sha256').update(JSON.stringify(lasting)).digest('hex')}`
}

/** The answer to the grant `refresh_token`, whose refresh token may be another one from now on (RFC 6749, section 6). */
export const refreshedTokenIn = (system: string, answer: VendorAnswer): Exchanged<IssuedToken> => ({
  result: tokenIn(system, answer),
  replaced_by: fitting(system, 'token', REPLACEMENT, answer.body).refresh_token ?? null,
})

type Send = (headers: Readonly<Record<string, string>>) => Promise<VendorAnswer>

interface Authorisation {
  system: string
  tokens: Tokens
  /** The name of the token. */
  name: string
  issue: () => Promise<IssuedToken>
}

/** Sends requests with the token. A token can end before its time: 401 is asked again with another one. */
export const authorisedBy =
  ({ system, tokens, name, issue }: Authorisation) =>
  async (send: Send): Promise<VendorAnswer> => {
    const token = await tokens.get(name, issue)
    const answer = await send({ authorization: `Bearer ${token}` })
    if (answer.status !== 401) return answer
    await tokens.forget(name, token)
    const again = await send({ authorization: `Bearer ${await tokens.get(name, issue)}` })
    if (again.status === 401) throw new VendorFailure(`${system} answered 401`, { kind: 'CREDENTIALS' })
    return again
  }
