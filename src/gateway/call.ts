/** One HTTP request, as both interfaces see it. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { RateLimitState, type RateLimitStatus } from '../access/limits/state.ts'
import type { Viewer } from '../access/viewer.ts'
import { limitedAddress } from '../lib/networks.ts'
import type { Context } from './context.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export interface Call {
  id: string
  ip: string
  /** The key of its buckets in limits by address. */
  address: string
  started: number
  viewer: Viewer | null
  auth_ms: number | null
  /** The state behind the `RateLimit` headers. */
  rates: RateLimitState
  /** True once the call has been charged, or is known to be free. */
  settled: boolean
  /** The context of resolvers, once the call has one. */
  context: Context | null
  /** The operation that answers, for logs and metrics. */
  operation: string | null
  /** The error that the answer tells, in GraphQL the first one; for logs and metrics. */
  problem: { code: string; details?: Record<string, unknown> | undefined } | null
}

export const header = (req: IncomingMessage, name: string): string | undefined => {
  const value = req.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** The call of a request from `ip`, or of bytes that are none; its id is the client's where that is a UUID. */
export function newCall(req: IncomingMessage | null, ip: string, uncharged: () => RateLimitStatus): Call {
  const given = req && header(req, 'x-request-id')
  const id = given && UUID.test(given) ? given : randomUUID()
  return {
    id,
    ip,
    address: limitedAddress(ip),
    started: performance.now(),
    viewer: null,
    auth_ms: null,
    rates: new RateLimitState(uncharged),
    settled: false,
    context: null,
    operation: null,
    problem: null,
  }
}
