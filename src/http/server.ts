/** The one HTTP server: whom a request is for, what every request gets, and how the server stops. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { RateStanding } from '../access/limits/state.ts'
import { ApiError } from '../errors.ts'
import { presented, problemOf } from '../graphql/problem.ts'
import { clientAddresses, hostJudge, hostOf } from './address.ts'
import { JSON_TYPE, send } from './answer.ts'
import { type Call, newCall } from './call.ts'
import { allowOrigin, answerOptions } from './cors.ts'
import { commonHeaders, timingsOf } from './headers.ts'
import type { Metrics } from './metrics.ts'
import type { Probe } from './probes.ts'

/** One of the things that are served. */
export interface Service {
  name: string
  /** Whether the path is this service's. */
  has(path: string): boolean
  /** The methods at the path; none where there is nothing. */
  allowed(path: string): string[]
  handle(req: IncomingMessage, res: ServerResponse, call: Call): Promise<void>
}

interface ServerOptions {
  services: readonly Service[]
  probe: (path: string) => Probe | undefined
  refuse: (req: IncomingMessage, res: ServerResponse, call: Call, error: ApiError) => void
  /** The standing of an address that has not been charged for a call. */
  standing: (ip: string) => RateStanding
  /** Told of every answered call. */
  answered: (call: Call, status: number) => void
  metrics: Metrics
  log: Logger
  cors_origins: readonly string[]
  allowed_hosts: readonly string[]
  trusted_proxies: readonly string[]
}

export interface Server {
  /** The port it listens on. */
  listen(port: number, host: string): Promise<number>
  /** Takes no more requests, and resolves when the last one is answered or `ms` have passed. */
  drain(ms: number): Promise<void>
  isDraining(): boolean
}

const HEADERS_MS = 10_000
const REQUEST_MS = 30_000
const KEEP_ALIVE_MS = 65_000
/** Connections that may wait to be accepted: many clients come back at once. */
const BACKLOG = 2048
/** How often Node looks for connections that are over those times. */
const CHECK_MS = 2_000

/** Answers what Node's parser could not read, for which there is no request. */
function answerUnreadable(cause: NodeJS.ErrnoException, socket: Socket, call: Call): void {
  if (!socket.writable || cause.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const tooLong = cause.code === 'HPE_HEADER_OVERFLOW'
  const reason = tooLong ? 'The headers of the request are too long.' : 'The request could not be read.'
  const error = presented(new ApiError('bad_request', { message: reason, details: { reason } }))
  const body = JSON.stringify({ error, meta: { request_id: call.id } })
  const headers = {
    ...commonHeaders(call, timingsOf(call)),
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}

export function createHttpServer(options: ServerOptions): Server {
  const { services, probe, refuse, answered, metrics, log } = options
  const isOurHost = hostJudge(options.allowed_hosts)
  const addressOf = clientAddresses(options.trusted_proxies, () =>
    log.warn(
      'Requests carry X-Forwarded-For and TRUSTED_PROXIES names no proxy: limits by address count all of them as one',
    ),
  )
  /** What is not answered yet. */
  const open = new Set<ServerResponse>()
  let draining = false

  /** Ends the connections that only wait, which Node would keep open for a next request. */
  function closeWaiting(): void {
    if (draining && open.size === 0) server.closeAllConnections()
  }

  function observe(res: ServerResponse, call: Call, service: string, method: string): void {
    metrics.begin()
    res.once('close', () => {
      const ms = performance.now() - call.started
      const operation = call.operation ?? 'none'
      const { problem } = call
      metrics.end({ interface: service, operation, status: res.statusCode, problem }, ms / 1000)
      answered(call, res.statusCode)
      log.info(
        {
          request_id: call.id,
          interface: service,
          method,
          operation,
          status: res.statusCode,
          code: problem?.code,
          ms: Math.round(ms * 100) / 100,
          ip: call.ip,
          tenant_id: call.viewer?.tenant_id,
          credential: call.viewer?.id,
          complete: res.writableFinished,
        },
        'request',
      )
    })
  }

  async function serve(req: IncomingMessage, res: ServerResponse, call: Call, path: string): Promise<void> {
    const found = probe(path)
    if (found) {
      call.settled = true
      const answer = await found(req)
      return answer instanceof ApiError ? refuse(req, res, call, answer) : send(req, res, answer)
    }
    const service = services.find((candidate) => candidate.has(path))
    observe(res, call, service?.name ?? 'none', req.method ?? '')
    if (!isOurHost(hostOf(req))) {
      const reason = 'The Host header does not name this service.'
      throw new ApiError('bad_request', { message: reason, details: { reason } })
    }
    if (!service) throw new ApiError('not_found')
    allowOrigin(req, res, options.cors_origins)
    if (req.method === 'OPTIONS') {
      call.settled = true
      const allow = service.allowed(path)
      if (allow.length === 0) throw new ApiError('not_found')
      return answerOptions(res, allow, commonHeaders(call, timingsOf(call)))
    }
    return await service.handle(req, res, call)
  }

  const limits = {
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECK_MS,
    // Node's own refusal has no body.
    requireHostHeader: false,
  }
  function take(req: IncomingMessage, res: ServerResponse): void {
    open.add(res)
    res.once('close', () => {
      open.delete(res)
      closeWaiting()
    })
    const ip = addressOf(req)
    const call = newCall(req, ip, () => options.standing(ip))
    if (draining) res.setHeader('Connection', 'close')
    const path = (req.url ?? '/').split('?', 1)[0] ?? '/'
    serve(req, res, call, path).catch((error) => refuse(req, res, call, problemOf(error, log, call)))
  }

  const server = createServer(limits, take)
  // Node's own answer to expectations that it does not know has no body; nobody has to know them.
  server.on('checkExpectation', take)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.on('clientError', (error, stream) => {
    const socket = stream as Socket
    const ip = socket.remoteAddress ?? '0.0.0.0'
    answerUnreadable(
      error,
      socket,
      newCall(null, ip, () => options.standing(ip)),
    )
  })

  return {
    isDraining: () => draining,
    listen: (port, host) =>
      new Promise((done, fail) => {
        server.once('error', fail)
        server.listen({ port, host, backlog: BACKLOG }, () => {
          const address = server.address()
          done(typeof address === 'object' && address ? address.port : port)
        })
      }),
    drain: (ms) => {
      draining = true
      return new Promise((done) => {
        const late = setTimeout(() => {
          server.closeAllConnections()
          done()
        }, ms)
        server.close(() => {
          clearTimeout(late)
          done()
        })
        for (const res of open) if (!res.headersSent) res.setHeader('Connection', 'close')
        closeWaiting()
      })
    },
  }
}
