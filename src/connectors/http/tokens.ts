/**
 * Access tokens (OAuth 2) of connections. They are kept in the memory of the process, and nowhere else. Callers share what is
 * issued, so that it has bounds of its own.
 */
import { READ_BOUNDS, withinBounds } from './call.ts'

export interface IssuedToken {
  access_token: string
  expires_in_seconds: number
}

interface KeptToken {
  token: Promise<IssuedToken>
  /** Monotonic milliseconds. */
  ends_at: number
}

/** A token is renewed so long before its end, so that none ends on its way. */
const MARGIN_SECONDS = 60
/** The maximum number of tokens: a new one replaces the oldest. */
const MAX_TOKENS = 1000

export interface Tokens {
  /** The token of this name, which is issued if there is none, or if it ends soon. Concurrent callers share what is issued. */
  get(name: string, issue: () => Promise<IssuedToken>): Promise<string>
  /** Forgets a token that is not accepted any more, unless another one has taken its place. */
  forget(name: string, access_token: string): Promise<void>
}

export function createTokens({ elapsed = () => performance.now() } = {}): Tokens {
  const tokens = new Map<string, KeptToken>()
  return {
    async get(name, issue) {
      const known = tokens.get(name)
      if (known && elapsed() < known.ends_at) return (await known.token).access_token
      tokens.delete(name)
      if (tokens.size === MAX_TOKENS) tokens.delete(tokens.keys().next().value as string)
      const made: KeptToken = { token: withinBounds(READ_BOUNDS, issue), ends_at: Number.POSITIVE_INFINITY }
      tokens.set(name, made)
      try {
        const { access_token, expires_in_seconds } = await made.token
        made.ends_at = elapsed() + Math.max(0, expires_in_seconds - MARGIN_SECONDS) * 1000
        return access_token
      } catch (error) {
        if (tokens.get(name) === made) tokens.delete(name)
        throw error
      }
    },
    async forget(name, access_token) {
      const known = tokens.get(name)
      const token = await known?.token.catch(() => null)
      if (token?.access_token === access_token && tokens.get(name) === known) tokens.delete(name)
    },
  }
}
