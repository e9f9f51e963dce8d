/** Finds the endpoint of a request, after the checks that hold for every path. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors/errors.ts'
import { unreadable } from './body.ts'
import { hostJudge, repeatedHeader } from './client-address.ts'
import type { Exchange } from './connections.ts'
import { allowOrigin, answerOptions, isPreflight } from './cors.ts'
import type { Probe } from './probes.ts'
import { type HttpAnswer, send } from './send.ts'

/** A part of the service with paths of its own. */
export interface Endpoint<Call> {
  name: string
  /** True if the path is this endpoint's. */
  has(path: string): boolean
  /** The methods at the path; none if there is nothing. */
  allowed(path: string): string[]
  handle(exchange: Exchange<Call>): Promise<void>
}

export interface DispatchOptions<Call> {
  endpoints: readonly Endpoint<Call>[]
  probe: (path: string) => Probe | undefined
  /** Marks the call as free of charge. */
  free: (call: Call) => void
  /** The headers that every answer to the call carries. */
  headersOf: (call: Call) => Record<string, string>
  /** The answer to a call that failed with `error`. */
  refusal: (call: Call, error: unknown) => Promise<HttpAnswer>
  cors_origins: readonly string[]
  allowed_hosts: readonly string[]
}

/** Notes the exchange in logs and metrics, under the name of its endpoint. */
type Observe<Call> = (exchange: Exchange<Call>, endpoint: string) => void

export function dispatcher<Call>(options: DispatchOptions<Call>, observe: Observe<Call>) {
  const { endpoints, probe, free, headersOf, refusal, cors_origins } = options
  const isOurHost = hostJudge(options.allowed_hosts)

  async function answerProbe(exchange: Exchange<Call>, found: Probe): Promise<void> {
    const { request, res, call } = exchange
    free(call)
    const answer = await found(request)
    if (!(answer instanceof ApiError)) return send(res, answer)
    // A failed readiness probe has a log line of its own, once.
    if (answer.status < 500) observe(exchange, 'none')
    return send(res, await refusal(call, answer))
  }

  function answerPreflight({ request, res, call }: Exchange<Call>, allow: readonly string[]): void {
    free(call)
    // Browsers do not show a page the error of a refused preflight.
    if (allow.length === 0 && !isPreflight(request.message, res)) throw new ApiError('not_found')
    answerOptions(res, allow, headersOf(call))
  }

  return async (exchange: Exchange<Call>): Promise<void> => {
    const { request, res } = exchange
    const { message, method, path } = request
    allowOrigin(message, res, cors_origins)
    const found = probe(path)
    const endpoint = endpoints.find((candidate) => candidate.has(path))
    if (!found) observe(exchange, endpoint?.name ?? 'none')
    checkRepeatedHeaders(message)
    if (found) return await answerProbe(exchange, found)
    if (!isOurHost(message.headers.host)) throw unreadable('The Host header does not name this service.')
    if (method === 'OPTIONS') return answerPreflight(exchange, endpoint?.allowed(path) ?? [])
    if (!endpoint) throw new ApiError('not_found')
    return await endpoint.handle(exchange)
  }
}

function checkRepeatedHeaders(message: IncomingMessage): void {
  const repeated = repeatedHeader(message)
  if (repeated) throw unreadable(`The ${repeated} header comes more than once.`)
}
