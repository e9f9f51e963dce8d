/**
 * The client with which adapters call vendors: JSON over HTTP with deadlines, a budget, a circuit and judged addresses.
 * Reads are repeated if another attempt may succeed. Writes are not: whether they were made is unknown.
 */
import type { LookupFunction } from 'node:net'
import { DelegateBackoff, handleWhen, retry } from 'cockatiel'
import { type Circuit, CircuitOpen, createCircuit } from '../../lib/circuit.ts'
import { createDeadline, underDeadline } from '../../lib/deadline.ts'
import { isSafeAddress } from '../../lib/networks.ts'
import { NO_BUDGET, type VendorBudget } from '../budget.ts'
import type { Post } from '../posts.ts'
import { AddressRefused, judgedConnector } from './addresses.ts'
import { createAgents } from './agents.ts'
import { MAX_ANSWER_BYTES, parseBody, readBody } from './answers.ts'
import { presentCall, READ_BOUNDS, systemAnswered, withinBounds } from './call.ts'
import { sendChange } from './certainty.ts'
import { type AtOnce, createEntrance } from './entrance.ts'
import { networkFailure, retryAfterSeconds, statusFailure, VendorFailure } from './failure.ts'
import { ownLeases, type PlaceLeases } from './places.ts'
import { createPoster } from './post.ts'
import { bodyOf, urlOf, type VendorRequest, type VendorWrite } from './requests.ts'

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
  /** The pause for each second that a vendor asks to wait. */
  second_ms?: number
  /** The pause until an open circuit lets the next call through. */
  circuit_ms?: number
  budget?: VendorBudget
  /** Leases the places of requests that are made at once. */
  places?: PlaceLeases
  /** Monotonic milliseconds, for circuits. */
  elapsed?: () => number
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

export type { VendorRequest, VendorWrite } from './requests.ts'

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
  at_once?: AtOnce
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
const SECOND_MS = 1000
const CIRCUIT_MS = 5000
/** The calls in a row that failed, after which a circuit opens. */
const FAILURES = 5
/** The maximum number of circuits: a new one replaces the oldest. */
const MAX_CIRCUITS = 1000

/** A site is shared by tenants: a connection that fails there must not stop those of others. */
function createCircuits(pause_ms: number, elapsed: () => number) {
  const circuits = new Map<string, Circuit>()
  return (key: string): Circuit => {
    const known = circuits.get(key)
    if (known) return known
    if (circuits.size === MAX_CIRCUITS) circuits.delete(circuits.keys().next().value as string)
    const circuit = createCircuit({
      failures: FAILURES,
      pause_ms,
      elapsed,
      outcomeOf: (error) => (error instanceof VendorFailure && error.is_outage ? 'FAILED' : 'UNKNOWN'),
    })
    circuits.set(key, circuit)
    return circuit
  }
}

export function createVendorClient({
  allow_private_addresses = false,
  read_ms = 7500,
  write_ms = 15_000,
  pause_ms = 250,
  second_ms = SECOND_MS,
  circuit_ms = CIRCUIT_MS,
  budget = NO_BUDGET,
  places: leases = ownLeases(),
  elapsed = () => performance.now(),
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
  const circuitOf = createCircuits(circuit_ms, elapsed)
  const entrance = createEntrance(budget, leases)

  function refused({ system, connection_id }: Caller, address: string, what: string): VendorFailure {
    addressRefused({ system, connection_id, host: URL.parse(address)?.hostname ?? '' })
    return new VendorFailure(`${system} ${what}`)
  }

  /** The kilobytes of an answer, of which the tenant takes so many a minute. */
  async function takeKilobytes(caller: Caller, kilobytes: number): Promise<void> {
    const retry_after_seconds = await budget.takeKilobytes(caller, kilobytes).catch(() => 0)
    if (retry_after_seconds <= 0) return
    const message = `The budget of kilobytes of answers of ${caller.system} is used up`
    throw new VendorFailure(message, { kind: 'LIMIT', retry_after_seconds: Math.ceil(retry_after_seconds) })
  }

  async function sent(
    caller: Caller,
    url: URL,
    request: VendorWrite | VendorRequest,
    signal: AbortSignal,
    { isRefusal, busy_seconds, is_write }: SiteOptions & { is_write: boolean },
  ): Promise<VendorAnswer> {
    const { system, tenant_id, environment } = caller
    const call = presentCall()
    call?.request()
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
        const is_own_end = call?.is_answered && call.signal.aborted
        throw error instanceof VendorFailure ? error : networkFailure(system, error, is_own_end)
      })
    const { statusCode: status, headers } = answer.response
    const header = [headers['retry-after']].flat()[0]
    const retry_after = retryAfterSeconds(header, new Date()) ?? (status === 429 ? busy_seconds : undefined)
    const kilobytes = Math.ceil(answer.bytes.length / 1024)
    // A write that was answered is made, whatever is left of the budget.
    if (kilobytes > COUNTED_KILOBYTES && !is_write) await takeKilobytes(caller, kilobytes)
    const body = await parseBody(system, answer.bytes)
    const failure = statusFailure(system, status, retry_after)
    if (failure && !isRefusal?.(status, body)) throw failure
    const is_ok = status < 300
    if (is_ok && body === undefined)
      throw new VendorFailure(`The answer of ${system} is not JSON`, { kind: 'UNKNOWN_FORM' })
    systemAnswered()
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
        const deadline = createDeadline(ms, () => new DOMException('The request is late', 'TimeoutError'))
        const signal = AbortSignal.any([call.signal, deadline.signal])
        const pauseOf = (error: VendorFailure, count: number): number => {
          const pause = pause_ms * 2 ** count * (0.75 + Math.random() / 2)
          return error.is_outage ? pause : Math.max(pause, error.retry_after_seconds * second_ms)
        }
        let pause = 0
        let made = 0
        const retrying = retry(
          handleWhen((error) => {
            if (!(error instanceof VendorFailure && error.is_passing)) return false
            pause = pauseOf(error, made++)
            return deadline.used() + pause < ms
          }),
          { maxAttempts: is_write ? 0 : ATTEMPTS - 1, backoff: new DelegateBackoff(() => pause) },
        )
        try {
          return await underDeadline(deadline, async () => {
            const asked = { always: call.ignores_circuits, caller: call.caller }
            circuit.check(asked)
            // Who tries a system that failed waits for no turn meanwhile, so that others wait no longer for the try.
            let entered: (() => void) | null = await entrance.enter(caller, signal, options.at_once)
            const attempt = async (): Promise<VendorAnswer> => {
              const leave = entered ?? (await entrance.enter(caller, signal, options.at_once))
              entered = null
              try {
                return await sent(caller, url, request, signal, { ...options, is_write })
              } finally {
                leave()
              }
            }
            try {
              return await circuit.run(() => retrying.execute(attempt, call.signal), asked)
            } finally {
              entered?.()
            }
          })
        } catch (error) {
          if (!(error instanceof CircuitOpen)) throw error
          throw new VendorFailure(`${caller.system} has not answered for a while`, {
            retry_after_seconds: Math.max(1, Math.ceil(error.left_ms / 1000)),
            not_made: true,
            is_outage: true,
          })
        } finally {
          deadline.end()
        }
      }

      return {
        read: (request) => send(request, false),
        readBy: (request) => send(request, false),
        write: (request) => sendChange(() => send(request, true)),
      }
    },
    refused,
    post: poster.post,
    async close() {
      await Promise.all([agents.close(), poster.close()])
    },
  }
}
