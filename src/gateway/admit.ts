/** The first steps of every call: who calls, and the context that its resolvers get. */
import type { IncomingMessage } from 'node:http'
import { authenticate, type CredentialKind } from '../access/credential.ts'
import { ApiError } from '../errors.ts'
import { Stopwatch } from '../lib/stopwatch.ts'
import { failedCredential, guardOf } from './address-limits.ts'
import { type Call, header } from './call.ts'
import type { Context, Services } from './context.ts'
import { readEntityTags } from './entity-tags.ts'
import { readIdempotencyKey } from './idempotency.ts'

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
