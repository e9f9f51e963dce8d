/**
 * The client with which adapters call vendors: JSON over HTTP with deadlines, a budget, a circuit and judged addresses.
 * Reads are repeated if another attempt may succeed. Writes are not: whether they were made is unknown.
 */
import type { LookupFunction } from 'node:net'
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  ConsecutiveBreaker,
  circuitBreaker,
  DelegateBackoff,
  ExponentialBackoff,
  handleWhen,
  retry,
} from 'cockatiel'
import { isSafeAddress } from '../../lib/networks.ts'
import type { Post } from '../posts.ts'
import { AddressRefused, judgedConnector } from './addresses.ts'
import { createAgents } from './agents.ts'
import { MAX_ANSWER_BYTES, parseBody, readBody } from './answers.ts'
import { presentCall, READ_BOUNDS, withinBounds } from './call.ts'
import { networkFailure, retryAfterSeconds, statusFailure, VendorFailure } from './failure.ts'
import { createPoster } from './post.ts'

/** The connection of a tenant that calls are made for. */
interface Caller {
  system: string
  connection_id: string
  tenant_id: string
  environment: string
}

interface ClientOptions {
  /** Loopback and private addresses can be connected to, for development. Addresses of one link cannot. */
  allow_private_addresses?: boolean
  /** For all attempts of a request, with the pauses between them. */
  read_ms?: number
  write_ms?: number
  /** The pause after the first failure; it doubles, and varies. */
  pause_ms?: number
  /** The pause until an open circuit lets the next request through; it doubles, up to a minute. */
  circuit_ms?: number
  /**
   * Takes a request, or the kilobytes of an answer, of the budget that the caller has over all processes. Answers with the
   * seconds until the budget has so much, and 0 if it was taken.
   */
  take?: (caller: Caller, kilobytes?: number) => Promise<number>
  lookup?: LookupFunction
  /** Told of an address that nothing is asked of. */
  addressRefused?: (refused: RefusedAddress) => void
}

export interface RefusedAddress {
  system: string
  connection_id: string
  /** Its path may have secrets. */
  host: string
}

export interface VendorRequest {
  /** A path of the vendor's site, such as `/v1/tickets`. */
  path: string
  query?: Readonly<Record<string, string | number>>
  headers?: Readonly<Record<string, string>>
  /** The most bytes of the answer, if they are others than usual. */
  max_bytes?: number
}

export interface VendorWrite extends VendorRequest {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  json?: unknown
  form?: Readonly<Record<string, string>>
}

/** What the vendor says to a request: by a status of 200 to 299, or of 400 and more if it refuses it. */
export interface VendorAnswer {
  status: number
  is_ok: boolean
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** null if there is none. A refusal may have one that is not JSON: null too. */
  body: unknown
}

/** The site of a connection. Every call rejects with PortUnavailable if it is not answered. */
export interface VendorSite {
  read(request: VendorRequest): Promise<VendorAnswer>
  /** A request that changes nothing, whatever its method. */
  readBy(request: VendorWrite): Promise<VendorAnswer>
  write(request: VendorWrite): Promise<VendorAnswer>
}

interface SiteOptions {
  /** True for an answer that refuses the request, of a vendor that refuses with 500 too. It says nothing of its health. */
  isRefusal?: (status: number, body: unknown) => boolean
  /** Seconds to wait after a 429 that does not say so itself. */
  busy_seconds?: number
}

export interface VendorClient {
  /** `url`: an https address; http on the loopback interface alone. */
  site(caller: Caller, url: string, options?: SiteOptions): VendorSite
  /** The failure of an address that the system named and that nothing is asked of. */
  refused(caller: Caller, address: string, what: string): VendorFailure
  /** Sends a text to an address that a tenant gave. The answer is the status. */
  post: Post
  /** Resolves once requests under way have ended, each at its deadline at the latest. */
  close(): Promise<void>
}

const ATTEMPTS = 3
const CONNECT_MS = 5000
/** Of each tenant at each site: a site that is slow for one tenant keeps no socket from another. */
const CONNECTIONS_PER_SITE = 8
/** Answers that are smaller are bounded by the number of requests. */
const COUNTED_KILOBYTES = 64
const CIRCUIT_MS = 5000
const MAX_CIRCUIT_MS = 60_000
/** The failures in a row after which a circuit opens. */
const FAILURES = 5
/** The maximum number of circuits: a new one replaces the oldest. */
const MAX_CIRCUITS = 1000

/** A site is shared by tenants: a connection that fails there must not stop those of others. */
function createCircuits(initialDelay: number) {
  const circuits = new Map<string, CircuitBreakerPolicy>()
  return (key: string): CircuitBreakerPolicy => {
    const known = circuits.get(key)
    if (known) return known
    if (circuits.size === MAX_CIRCUITS) circuits.delete(circuits.keys().next().value as string)
    const circuit = circuitBreaker(
      handleWhen((error) => error instanceof VendorFailure && error.is_outage),
      {
        halfOpenAfter: new ExponentialBackoff({ initialDelay, maxDelay: MAX_CIRCUIT_MS }),
        breaker: new ConsecutiveBreaker(FAILURES),
      },
    )
    circuits.set(key, circuit)
    return circuit
  }
}

function urlOf(site: URL, { path, query = {} }: VendorRequest): URL {
  const url = new URL(site)
  // Assigned, so that no path names another host.
  url.pathname = path
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  return url
}

function bodyOf({ json, form }: VendorWrite): { content_type: string; body: string } | null {
  if (form) {
    const body = new URLSearchParams(form).toString()
    return { content_type: 'application/x-www-form-urlencoded', body }
  }
  return json === undefined ? null : { content_type: 'application/json', body: JSON.stringify(json) }
}

export function createVendorClient({
  allow_private_addresses = false,
  read_ms = 7500,
  write_ms = 15_000,
  pause_ms = 250,
  circuit_ms = CIRCUIT_MS,
  take = async () => 0,
  lookup,
  addressRefused = () => {},
}: ClientOptions = {}): VendorClient {
  const connect = judgedConnector({
    allow_private: allow_private_addresses,
    connect_ms: CONNECT_MS,
    ...(lookup && { lookup }),
  })
  const agents = createAgents({ connect, connections: CONNECTIONS_PER_SITE })
  const poster = createPoster(connect, allow_private_addresses)
  const circuitOf = createCircuits(circuit_ms)

  function refused({ system, connection_id }: Caller, address: string, what: string): VendorFailure {
    addressRefused({ system, connection_id, host: URL.parse(address)?.hostname ?? '' })
    return new VendorFailure(`${system} ${what}`)
  }

  async function attempt(
    caller: Caller,
    url: URL,
    request: VendorWrite | VendorRequest,
    signal: AbortSignal,
    { isRefusal, busy_seconds, is_write }: SiteOptions & { is_write: boolean },
  ): Promise<VendorAnswer> {
    const { system, tenant_id, environment } = caller
    const taken = async (kilobytes?: number): Promise<void> => {
      const wait_seconds = await take(caller, kilobytes)
      if (wait_seconds <= 0) return
      const what = kilobytes === undefined ? `requests to ${system}` : 'kilobytes of answers'
      throw new VendorFailure(`The budget of ${what} is used up`, {
        retry_after_seconds: Math.ceil(wait_seconds),
        not_made: kilobytes === undefined,
      })
    }
    const call = presentCall()
    call?.request()
    await taken()
    const payload = 'method' in request ? bodyOf(request) : null
    const answer = await agents
      .of(JSON.stringify([tenant_id, environment]))
      .request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'method' in request ? request.method : 'GET',
        headers: {
          accept: 'application/json',
          ...(payload && { 'content-type': payload.content_type }),
          ...request.headers,
        },
        ...(payload && { body: payload.body }),
        signal,
      })
      .then(async (response) => {
        const { max_bytes = MAX_ANSWER_BYTES } = request
        const bytes = await readBody(system, response.body, max_bytes, (count) => call?.bytes(count))
        return { response, bytes }
      })
      .catch((error: unknown) => {
        if (error instanceof AddressRefused)
          throw refused(caller, url.href, 'has an address that is not allowed')
        throw error instanceof VendorFailure ? error : networkFailure(system, error)
      })
    const { statusCode: status, headers } = answer.response
    const header = [headers['retry-after']].flat()[0]
    const retry_after = retryAfterSeconds(header, new Date()) ?? (status === 429 ? busy_seconds : undefined)
    const kilobytes = Math.ceil(answer.bytes.length / 1024)
    // A write that was answered is made, whatever is left of the budget.
    if (kilobytes > COUNTED_KILOBYTES && !is_write) await taken(kilobytes)
    const body = await parseBody(system, answer.bytes)
    const failure = statusFailure(system, status, retry_after)
    if (failure && !isRefusal?.(status, body)) throw failure
    const is_ok = status < 300
    if (is_ok && body === undefined)
      throw new VendorFailure(`The answer of ${system} is not JSON`, { kind: 'UNKNOWN_FORM' })
    return { status, is_ok, headers, body: body ?? null }
  }

  return {
    site(caller, text, options = {}) {
      if (!isSafeAddress(text)) throw refused(caller, text, 'has an address that is not https')
      const site = new URL(text)
      const circuit = circuitOf(`${caller.connection_id} ${site.origin}`)

      async function send(request: VendorRequest | VendorWrite, is_write: boolean): Promise<VendorAnswer> {
        const call = presentCall()
        const ms = is_write ? write_ms : read_ms
        if (!call) return await withinBounds({ ...READ_BOUNDS, ms }, () => send(request, is_write))
        const url = urlOf(site, request)
        const ends_at = performance.now() + ms
        const signal = AbortSignal.any([call.signal, AbortSignal.timeout(ms)])
        const pauseOf = (error: VendorFailure, count: number): number => {
          const pause = pause_ms * 2 ** count * (0.75 + Math.random() / 2)
          return error.is_outage ? pause : Math.max(pause, error.retry_after_seconds * 1000)
        }
        let pause = 0
        let made = 0
        const retrying = retry(
          handleWhen((error) => {
            if (!(error instanceof VendorFailure && error.is_passing)) return false
            pause = pauseOf(error, made++)
            return performance.now() + pause < ends_at
          }),
          { maxAttempts: is_write ? 0 : ATTEMPTS - 1, backoff: new DelegateBackoff(() => pause) },
        )
        try {
          return await retrying.execute(
            () => circuit.execute(() => attempt(caller, url, request, signal, { ...options, is_write })),
            call.signal,
          )
        } catch (error) {
          if (!(error instanceof BrokenCircuitError)) throw error
          throw new VendorFailure(`${caller.system} has not answered for a while`, {
            retry_after_seconds: Math.ceil(circuit_ms / 1000),
            not_made: true,
          })
        }
      }

      return {
        read: (request) => send(request, false),
        readBy: (request) => send(request, false),
        write: (request) => send(request, true),
      }
    },
    refused,
    post: poster.post,
    async close() {
      await Promise.all([agents.close(), poster.close()])
    },
  }
}
