/**
 * Admission of a request, the same for both interfaces: 401, then 429, then 403, before anything about the input is
 * judged. It makes the context of the resolvers.
 */

import {
  type AddressGuard,
  authenticate,
  type Credential,
  headerOf,
} from '../access/credentials/credential.ts'
import { refusal } from '../access/policies/authorize.ts'
import type { Viewer } from '../access/viewer.ts'
import { ReadBudget } from '../db/read-budget.ts'
import { ApiError } from '../errors/errors.ts'
import { Stopwatch } from '../lib/stopwatch.ts'
import { addressGuard, chargeAddress, failedCredential } from './address-limits.ts'
import type { Call } from './call.ts'
import type { Context, Services } from './context.ts'
import { withDeadline } from './deadline.ts'
import { readIfMatch } from './entity-tags.ts'
import { readIdempotencyKey } from './idempotency.ts'
import type { Operation } from './operation.ts'
import { charge } from './rate-limits.ts'

/** The parts of the service that a request passes on its way to an operation. */
export interface Gateway {
  services: Services
  credentials: readonly Credential[]
  /** Milliseconds that a query may take; a mutation has twice as long. */
  request_timeout_ms: number
  /** The largest answer; null: answers are sent while they are made. */
  max_response_bytes: number | null
}

/** The operations of a request that are known before its body is read, and their cost. */
export interface Admission {
  operations: readonly Operation[]
  writes: number
  points: number
  /** Callers without a credential are not charged. */
  free?: boolean
}

/** Authenticates, charges and authorizes the call. */
export async function admit(gateway: Gateway, call: Call, admission: Admission): Promise<Context> {
  const { services, request_timeout_ms } = gateway
  const { operations, writes, points, free } = admission
  await withDeadline(request_timeout_ms, findViewer(gateway, call))
  if (call.viewer) {
    call.charged = true
    await charge(
      services,
      call.rates,
      call.viewer,
      { calls: 1, writes, points, operations },
      request_timeout_ms,
    )
  } else if (free) call.charged = true
  else await chargeAddress(services, call)
  const refused = refusalOf(operations, call.viewer)
  if (refused) throw refused
  return newContext(gateway, call)
}

const sureAddress = ({ ip, ip_is_sure }: Call): string | null => (ip_is_sure ? ip : null)

/** A credential that was good before costs its address nothing. */
const UNGUARDED: AddressGuard = { key: async () => {}, user: async () => () => {} }

/** The viewer that the call's credential has now; throws if it is no longer good. */
export const authenticateAgain = ({ services, credentials }: Gateway, call: Call): Promise<Viewer | null> =>
  authenticate(credentials, {
    request: call.request,
    ip: sureAddress(call),
    now: services.now(),
    guard: UNGUARDED,
  })

type Presented = Parameters<typeof authenticate>[1]['request']

/** Authenticates the call. A failed credential counts against its address. */
async function findViewer(
  { services, credentials }: Gateway,
  call: Call,
  request: Presented = call.request,
): Promise<void> {
  const started = performance.now()
  try {
    call.viewer = await authenticate(credentials, {
      request,
      ip: sureAddress(call),
      now: services.now(),
      guard: addressGuard(services, call),
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    throw await failedCredential(services, call, error)
  } finally {
    call.auth_ms = performance.now() - started
  }
}

/** The path and query of a signed URL. */
export type SignedAddress = Pick<Presented, 'path' | 'query'>

/** Authenticates and charges the holder of a signed URL, who calls with its parts as arguments. */
export async function admitHolder(
  gateway: Gateway,
  call: Call,
  ctx: Context,
  address: SignedAddress,
): Promise<void> {
  const { services, request_timeout_ms } = gateway
  const { method, headers } = call.request
  const request = { method, headers, body: () => call.request.body(), ...address }
  await withDeadline(request_timeout_ms, findViewer(gateway, call, request))
  ctx.viewer = call.viewer
  if (!call.viewer) return
  const demand = { calls: 1, writes: 0, points: 0, operations: [] }
  await charge(services, call.rates, call.viewer, demand, request_timeout_ms)
}

/** 401 or 403 of the first operation that refuses the viewer; null if all of them let it. */
export function refusalOf(
  operations: readonly Pick<Operation, 'access'>[],
  viewer: Viewer | null,
): ApiError | null {
  for (const { access } of operations) {
    const refused = refusal(access, viewer)
    if (refused) return refused
  }
  return null
}

/** The warning for the user of a rotated key, with its end. */
const sunsetWarnings = ({ viewer }: Call): string[] =>
  viewer?.sunset_at ? [`api_key_sunsetting: ${viewer.sunset_at.toISOString()}`] : []

function newContext({ services, max_response_bytes }: Gateway, call: Call): Context {
  const { id, ip, viewer, request, rates } = call
  const context: Context = {
    services,
    viewer,
    request: {
      id,
      ip,
      user_agent: headerOf(request, 'user-agent')?.slice(0, 512) ?? null,
      if_match: readIfMatch(headerOf(request, 'if-match')),
      idempotency_key: readIdempotencyKey(headerOf(request, 'idempotency-key')),
    },
    received: request,
    now: services.now(),
    rates,
    warnings: sunsetWarnings(call),
    db_time: new Stopwatch(),
    upstream_time: new Stopwatch(),
    reads: max_response_bytes === null ? null : new ReadBudget(max_response_bytes),
    transaction: null,
    etags: new Map(),
    sent_body: null,
    subscription: null,
    location: null,
    secret_of: null,
    outcome: null,
  }
  call.context = context
  return context
}
