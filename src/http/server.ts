/** The one HTTP server: whom a request is for, what every request gets, and how the server stops. */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { RateLimitStatus } from '../access/limits/state.ts'
import { ApiError } from '../errors.ts'
import { type Call, newCall } from '../gateway/call.ts'
import { presented, problemOf } from '../gateway/errors.ts'
import { commonHeaders, timingsOf } from '../gateway/response-headers.ts'
import { unreadable } from './body.ts'
import { clientAddresses, hostJudge, repeatedHeader } from './client-address.ts'
import {
  type Connection,
  type Exchange,
  end,
  endUnused,
  isIncomplete,
  newConnection,
  timedOut,
  watch,
} from './connections.ts'
import { allowOrigin, answerOptions, isPreflight } from './cors.ts'
import type { Metrics } from './metrics.ts'
import type { Probe } from './probes.ts'
import { JSON_TYPE, send } from './send.ts'

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
  /** Charges a refusal that has no request: the error to answer with. */
  settle: (call: Call, error: ApiError) => Promise<ApiError>
  /** The standing of an address that has not been charged for a call. */
  standing: (ip: string) => RateLimitStatus
  /** Told of every answered call. */
  answered: (call: Call, status: number) => void
  metrics: Metrics
  log: Logger
  cors_origins: readonly string[]
  allowed_hosts: readonly string[]
  trusted_proxies: readonly string[]
  /** The longest pause of a client in taking an answer. */
  untaken_ms?: number
}

export interface Server {
  /** The port it listens on. */
  listen(port: number, host: string): Promise<number>
  /**
   * Goes on answering for `delay_ms`, then takes no more connections, and resolves when the last request is answered
   * and the last connection ended, or when another `ms` have passed.
   */
  drain(ms: number, delay_ms?: number): Promise<void>
  isDraining(): boolean
}

const HEADERS_MS = 10_000
const REQUEST_MS = 30_000
const KEEP_ALIVE_MS = 65_000
/** Connections that may wait to be accepted: many clients come back at once. */
const BACKLOG = 2048
/** The interval at which connections are checked against those times. */
const CHECK_MS = 2_000
const UNTAKEN_MS = 20_000

/** A connection on which nothing comes for this long ends when the server stops. */
const QUIET_MS = 1_000
const QUIET_CHECK_MS = 50
/** Afterwards each answer ends its connection, though requests wait behind it: the client can repeat those. */
const LAST_ANSWERS_MS = 5_000
/** The longest time that the stop accepts connections that wait, of which Node takes one in a turn of its loop. */
const ACCEPT_MS = 10_000
/** And how long it looks for a turn so short that hardly a connection can have come in the rest of it. */
const SHORT_TURN_MS = 1
const SHORT_TURN_WITHIN_MS = 500

const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers of the request are too long.',
  HPE_INVALID_EOF_STATE: 'The request ended early.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

/** An answer where there is no request that Node could read, and so nothing to answer it with. */
function refusalText(error: ApiError, call: Call): string {
  const body = JSON.stringify({ error: presented(error), meta: { request_id: call.id } })
  const headers = {
    ...commonHeaders(call, timingsOf(call)),
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    ...error.headers,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`
}

export function createHttpServer(options: ServerOptions): Server {
  const { services, probe, refuse, answered, metrics, log, untaken_ms = UNTAKEN_MS } = options
  const isOurHost = hostJudge(options.allowed_hosts)
  const addressOf = clientAddresses(options.trusted_proxies, () =>
    log.warn(
      'Requests carry X-Forwarded-For and TRUSTED_PROXIES names no proxy: limits by address count all of them as one',
    ),
  )
  const connections = new Map<Socket, Connection>()
  let draining = false
  let lastAnswers = false
  let accepted = 0

  /** Whether the answer is the last one on its connection. */
  function isLast(res: ServerResponse): boolean {
    // Node would go on reading a body that nobody wants.
    if (isIncomplete(res.req) || lastAnswers) return true
    return draining && connections.get(res.req.socket)?.exchanges.at(-1)?.res === res
  }

  class Answer extends ServerResponse<IncomingMessage> {
    override writeHead(status: number, reason?: unknown, headers?: unknown): this {
      if (isLast(this)) this.shouldKeepAlive = false
      return super.writeHead(status, reason as string, headers as OutgoingHttpHeaders)
    }
  }

  function conclude(call: Call, service: string, method: string, status: number, complete: boolean): void {
    const ms = performance.now() - call.started
    const operation = call.operation ?? 'none'
    const { problem } = call
    metrics.end({ interface: service, operation, status, problem }, ms / 1000)
    answered(call, status)
    log.info(
      {
        request_id: call.id,
        interface: service,
        method,
        operation,
        status,
        code: problem?.code,
        ms: Math.round(ms * 100) / 100,
        ip: call.ip,
        tenant_id: call.viewer?.tenant_id,
        credential: call.viewer?.id,
        complete,
      },
      'request',
    )
  }

  function observe(res: ServerResponse, call: Call, service: string, method: string): void {
    metrics.begin()
    res.once('close', () => conclude(call, service, method, res.statusCode, res.writableFinished))
  }

  async function serve({ req, res, call }: Exchange): Promise<void> {
    const path = (req.url ?? '/').split('?', 1)[0] ?? '/'
    allowOrigin(req, res, options.cors_origins)
    const found = probe(path)
    const service = services.find((candidate) => candidate.has(path))
    const logged = () => observe(res, call, service?.name ?? 'none', req.method ?? '')
    if (!found) logged()
    const repeated = repeatedHeader(req)
    if (repeated) throw unreadable(`The ${repeated} header comes more than once.`)
    if (found) {
      call.settled = true
      const answer = await found(req)
      if (!(answer instanceof ApiError)) return send(req, res, answer)
      // A readiness probe that fails is told by a line of its own, once.
      if (answer.status < 500) logged()
      return refuse(req, res, call, answer)
    }
    if (!isOurHost(req.headers.host)) throw unreadable('The Host header does not name this service.')
    if (req.method === 'OPTIONS') {
      call.settled = true
      const allow = service?.allowed(path) ?? []
      // A browser hides from its page what is refused before the request itself.
      if (allow.length === 0 && !isPreflight(req, res)) throw new ApiError('not_found')
      return answerOptions(res, allow, commonHeaders(call, timingsOf(call)))
    }
    if (!service) throw new ApiError('not_found')
    return await service.handle(req, res, call)
  }

  function begin(exchange: Exchange): void {
    const { req, res, call } = exchange
    exchange.begun = true
    if (res.headersSent || res.destroyed) return
    serve(exchange).catch((error) => refuse(req, res, call, problemOf(error, log, call)))
  }

  function take(req: IncomingMessage, res: ServerResponse): void {
    const connection = connections.get(req.socket)
    if (!connection || connection.ending) return
    const { exchanges } = connection
    const ip = addressOf(req)
    const call = newCall(req, ip, () => options.standing(ip))
    const exchange = { req, res, call, begun: false }
    exchanges.push(exchange)
    res.once('close', () => {
      exchanges.splice(exchanges.indexOf(exchange), 1)
      const [next] = exchanges
      if (connection.ending) return
      if (!next) connection.atLast?.()
      else if (!next.begun) begin(next)
    })
    // One after another, so that the answer that ends the connection is the last one.
    if (!draining || exchanges.length === 1) begin(exchange)
  }

  async function endRefused(connection: Connection, refused: ApiError): Promise<void> {
    const ip = connection.socket.remoteAddress ?? '0.0.0.0'
    const call = newCall(null, ip, () => options.standing(ip))
    const error = await options.settle(call, refused)
    call.problem = error
    end(connection, refusalText(error, call))
    metrics.begin()
    conclude(call, 'none', '', error.status, true)
  }

  /** Answers what Node's parser could not read, after what came before it on the connection. */
  function refuseUnreadable(cause: NodeJS.ErrnoException, socket: Socket): void {
    const connection = connections.get(socket)
    if (!connection || !socket.writable || cause.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    if (connection.ending || connection.atLast) return
    const error = unreadable(REASONS[cause.code ?? ''] ?? 'The request could not be read.')
    const last = connection.exchanges.at(-1)
    if (last && isIncomplete(last.req)) {
      refuse(last.req, last.res, last.call, error)
      return
    }
    connection.atLast = () => void endRefused(connection, error)
    if (last) socket.pause()
    else connection.atLast()
  }

  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node's own refusal has no body.
      requireHostHeader: false,
      ServerResponse: Answer,
    },
    take,
  )
  // A client that has said everything may close its side, and is answered.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Node's own answer to expectations that it does not know has no body; nobody has to know them.
  server.on('checkExpectation', take)
  server.on('clientError', (error, stream) => refuseUnreadable(error, stream as Socket))
  // Node's own answer is to close the connection.
  server.on('connect', (_req, stream) => {
    const connection = connections.get(stream as Socket)
    if (connection) void endRefused(connection, unreadable('This is no proxy: CONNECT is not accepted.'))
  })
  server.on('connection', (socket) => {
    accepted++
    const connection = newConnection(socket)
    connections.set(socket, connection)
    socket.once('close', () => {
      connections.delete(socket)
      connection.ending = true
      // Of the answers that wait on a connection, Node tells only the first that it is closed.
      for (const { res } of [...connection.exchanges]) if (!res.closed) res.emit('close')
    })
    // So Node ends a connection after its last answer.
    socket.destroySoon = () => end(connection)
  })
  server.on('timeout', (socket) => {
    const connection = connections.get(socket)
    if (connection) timedOut(connection)
  })
  const watching = setInterval(
    () => {
      const now = performance.now()
      for (const connection of connections.values()) watch(connection, untaken_ms, now)
    },
    Math.min(CHECK_MS, untaken_ms),
  ).unref()

  /** Resolves once no connection waits to be accepted: the close of the listener would reset it. */
  async function acceptWaiting(until: number): Promise<void> {
    // From here on, each turn is a whole one: it looks for connections between its beginning and its end.
    await nextTurn()
    const started = performance.now()
    for (let turn = started; turn < Math.min(until, started + ACCEPT_MS); ) {
      const before = accepted
      await nextTurn()
      const now = performance.now()
      const short = now - turn < SHORT_TURN_MS || now - started > SHORT_TURN_WITHIN_MS
      if (accepted === before && short) return
      turn = now
    }
  }

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
    async drain(ms, delay_ms = 0) {
      draining = true
      if (delay_ms > 0) await sleep(delay_ms)
      const until = performance.now() + ms
      await acceptWaiting(until)
      // The HTTP server's own close resets connections on which a request has come and is not read yet.
      const closed = new Promise((done) => NetServer.prototype.close.call(server, done))
      const ending = setInterval(() => {
        const now = performance.now()
        for (const connection of connections.values()) endUnused(connection, QUIET_MS, now)
      }, QUIET_CHECK_MS)
      const hurrying = setTimeout(() => {
        lastAnswers = true
      }, LAST_ANSWERS_MS)
      const late = setTimeout(
        () => {
          for (const socket of connections.keys()) socket.destroy()
        },
        Math.max(0, until - performance.now()),
      )
      await closed
      for (const timer of [ending, hurrying, late, watching]) clearTimeout(timer)
      server.close()
    },
  }
}
