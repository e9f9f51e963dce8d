/** The record of one request: both interfaces fill it, and logs, metrics and headers read it. */
import { randomUUID } from 'node:crypto'
import { type CredentialRequest, headerOf } from '../access/credentials/credential.ts'
import { RateLimitState, type RateLimitStatus } from '../access/limits/state.ts'
import type { Viewer } from '../access/viewer.ts'
import { type ClientAddress, rateLimitAddress } from '../lib/networks.ts'
import type { Context, Received } from './context.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A request as the gateway reads it, whichever server received it. */
export type CallRequest = CredentialRequest['request'] & Received

export interface Call {
  id: string
  /** The address of the service in links; `''` if they are relative. */
  public_url: string
  request: CallRequest
  /** The client's address; a proxy's if the client's is not sure. */
  ip: string
  ip_is_sure: boolean
  /** The key of its buckets in limits by address. */
  address: string
  started: number
  /** The instant at which the stream opened that answers the call; null: no stream does. */
  stream_opened: number | null
  viewer: Viewer | null
  auth_ms: number | null
  /** The state behind the `RateLimit` headers. */
  rates: RateLimitState
  /** True once the call has been charged, or is known to be free. */
  charged: boolean
  /** The context of resolvers, once the call has one. */
  context: Context | null
  /** The operation that answers, for logs and metrics. */
  operation: string | null
  /** The error of the answer, in GraphQL the first one; for logs and metrics. */
  problem: { code: string; details?: Record<string, unknown> | undefined } | null
}

/** Stands for bytes that could not be parsed as a request. */
const UNREAD: CallRequest = {
  method: '',
  path: '',
  headers: {},
  query: new URLSearchParams(),
  body: async () => Buffer.alloc(0),
}

/** The call of a request from a client; null: of unparsable bytes. Its id is the client's if that is a UUID. */
export function newCall(
  received: CallRequest | null,
  { ip, is_sure }: ClientAddress,
  { public_url, uncharged }: { public_url: string; uncharged: () => RateLimitStatus },
): Call {
  const request = received ?? UNREAD
  const given = headerOf(request, 'x-request-id')
  return {
    id: given && UUID.test(given) ? given : randomUUID(),
    public_url,
    request,
    ip,
    ip_is_sure: is_sure,
    address: rateLimitAddress(ip),
    started: performance.now(),
    stream_opened: null,
    viewer: null,
    auth_ms: null,
    rates: new RateLimitState(uncharged),
    charged: false,
    context: null,
    operation: null,
    problem: null,
  }
}
