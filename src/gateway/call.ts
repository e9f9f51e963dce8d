/** One HTTP request, as both interfaces see it. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { authenticate, type CredentialKind } from '../access/credential.ts'
import { RateLimitState, type RateStanding } from '../access/limits/state.ts'
import { limitedAddress } from '../access/networks.ts'
import type { Viewer } from '../access/viewer.ts'
import { ApiError } from '../errors.ts'
import { Stopwatch } from '../lib/stopwatch.ts'
import { failedCredential, guardOf } from './address-limits.ts'
import type { Context, Services } from './context.ts'
import { readEntityTags } from './entity-tags.ts'
import { readIdempotencyKey } from './idempotency.ts'

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

const header = (req: IncomingMessage, name: string): string | undefined => {
  const value = req.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** The call of a request from `ip`, or of bytes that are none; its id is the client's where that is a UUID. */
export function newCall(req: IncomingMessage | null, ip: string, uncharged: () => RateStanding): Call {
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

/** Finds out who calls. A credential that fails counts against its address. */
export async function identify(
  services: Services,
  credentials: readonly CredentialKind[],
  call: Call,
  req: IncomingMessage,
): Promise<void> {
  const started = performance.now()
  try {
    call.viewer = await authenticate(credentials, req.headers.authorization, {
      ip: call.ip,
      acting_user_header: header(req, 'x-acting-user'),
      now: services.now(),
      guard: guardOf(services, call),
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    throw await failedCredential(services, call, error)
  } finally {
    call.auth_ms = performance.now() - started
  }
}

/** Tells the user of a rotated key when it ends. */
const sunsetWarnings = ({ viewer }: Call): string[] =>
  viewer?.type === 'API_KEY' && viewer.sunset_at
    ? [`api_key_sunsetting: ${viewer.sunset_at.toISOString()}`]
    : []

/** The context that resolvers get. */
export function contextOf(services: Services, call: Call, req: IncomingMessage): Context {
  const context: Context = {
    services,
    viewer: call.viewer,
    request: {
      id: call.id,
      ip: call.ip,
      user_agent: header(req, 'user-agent')?.slice(0, 512) ?? null,
      if_match: readEntityTags('If-Match', header(req, 'if-match')),
      idempotency_key: readIdempotencyKey(header(req, 'idempotency-key')),
    },
    now: services.now(),
    rates: call.rates,
    warnings: sunsetWarnings(call),
    db_time: new Stopwatch(),
    transaction: null,
    etags: new Map(),
    location: null,
    secret_of: null,
    outcome: null,
  }
  call.context = context
  return context
}
