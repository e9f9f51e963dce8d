/** The one HTTP server: its connections, and on each the requests in their order. */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { ApiError } from '../errors/errors.ts'
import type { ClientAddress } from '../lib/networks.ts'
import { unreadable } from './body.ts'
import { clientAddresses, socketAddress } from './client-address.ts'
import {
  type Connection,
  type Exchange,
  end,
  isIncomplete,
  newConnection,
  timedOut,
  watch,
} from './connections.ts'
import { type DispatchOptions, dispatcher } from './dispatch.ts'
import { type DrainState, drain } from './drain.ts'
import { HttpRequest } from './request.ts'
import { type HttpAnswer, send } from './send.ts'

/** The end of a call, in the words of HTTP. */
interface Outcome {
  /** The name of the endpoint, or `none`. */
  endpoint: string
  method: string
  status: number
  /** False if the connection closed before the whole answer was sent. */
  complete: boolean
}

/** The server and the application that it serves. `Call` is the application's record of a request. */
interface ServerOptions<Call> extends DispatchOptions<Call> {
  /** Begins the record of a request, or, for null, of bytes that could not be read as one. */
  callOf: (request: HttpRequest | null, client: ClientAddress) => Call
  /** Called at the beginning of a call that is observed; the result is called at its end. */
  observe: (call: Call) => (outcome: Outcome) => void
  log: Logger
  trusted_proxies: readonly string[]
  /** The longest pause of a client in taking an answer. */
  stalled_ms?: number
}

export interface HttpServer {
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
/** Connections that may wait to be accepted: many clients reconnect at once. */
const BACKLOG = 2048
/** The interval at which connections are checked against those times. */
const CHECK_MS = 2_000
const STALLED_MS = 20_000

const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers of the request are too long.',
  HPE_INVALID_EOF_STATE: 'The request ended early.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

/** The bytes of an answer, for a connection without a request that Node could answer. */
function answerText({ status, headers, body }: HttpAnswer): string {
  const all = { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

export function createHttpServer<Call>(options: ServerOptions<Call>): HttpServer {
  const { callOf, observe, refusal, log, stalled_ms = STALLED_MS } = options
  const addressOf = clientAddresses(options.trusted_proxies, () =>
    log.warn(
      'Requests carry X-Forwarded-For and TRUSTED_PROXIES names no proxy: limits by address count all of them as one',
    ),
  )
  const connections = new Map<Socket, Connection<Call>>()
  const state: DrainState = { draining: false, last_answers: false, closing: null }
  let accepted = 0

  /** True if the answer is the last one on its connection. */
  function isLast(res: ServerResponse): boolean {
    // Node would go on reading a body that is not needed.
    if (isIncomplete(res.req) || state.last_answers) return true
    return state.draining && connections.get(res.req.socket)?.exchanges.at(-1)?.res === res
  }

  class Answer extends ServerResponse<IncomingMessage> {
    override writeHead(status: number, reason?: unknown, headers?: unknown): this {
      if (isLast(this)) this.shouldKeepAlive = false
      return super.writeHead(status, reason as string, headers as OutgoingHttpHeaders)
    }
  }

  const dispatch = dispatcher(options, ({ request: { method }, res, call }, endpoint) => {
    const concluded = observe(call)
    res.once('close', () =>
      concluded({ endpoint, method, status: res.statusCode, complete: res.writableFinished }),
    )
  })

  async function refuse({ res, call }: Exchange<Call>, error: unknown): Promise<void> {
    send(res, await refusal(call, error))
  }

  function begin(exchange: Exchange<Call>): void {
    exchange.begun = true
    if (state.closing) void state.closing.then(() => answer(exchange))
    else answer(exchange)
  }

  function answer(exchange: Exchange<Call>): void {
    const { res } = exchange
    if (res.headersSent || res.destroyed) return
    dispatch(exchange).catch((error) => refuse(exchange, error))
  }

  function take(message: IncomingMessage, res: ServerResponse): void {
    const connection = connections.get(message.socket)
    if (!connection || connection.ending) return
    const { exchanges } = connection
    const request = new HttpRequest(message, addressOf(message))
    const exchange = { request, res, call: callOf(request, request.client), begun: false }
    exchanges.push(exchange)
    res.once('close', () => {
      exchanges.splice(exchanges.indexOf(exchange), 1)
      const [next] = exchanges
      if (connection.ending) return
      if (!next) connection.atLast?.()
      else if (!next.begun) begin(next)
    })
    // One after another, so that the answer that ends the connection is the last one.
    if (!state.draining || exchanges.length === 1) begin(exchange)
  }

  async function endRefused(connection: Connection<Call>, error: ApiError): Promise<void> {
    const call = callOf(null, socketAddress(connection))
    const answer = await refusal(call, error)
    end(connection, answerText(answer))
    observe(call)({ endpoint: 'none', method: '', status: answer.status, complete: true })
  }

  /** Answers a request that Node's parser could not read, after the earlier ones on the connection. */
  function refuseUnreadable(cause: NodeJS.ErrnoException, socket: Socket): void {
    const connection = connections.get(socket)
    if (!connection || !socket.writable || cause.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    if (connection.ending || connection.atLast) return
    const error = unreadable(REASONS[cause.code ?? ''] ?? 'The request could not be read.')
    const last = connection.exchanges.at(-1)
    if (last && isIncomplete(last.request.message)) {
      void refuse(last, error)
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
  // A client may close its side after its requests, and still gets its answers.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Unknown expectations are ignored: Node's own answer to them has no body.
  server.on('checkExpectation', take)
  server.on('clientError', (error, stream) => refuseUnreadable(error, stream as Socket))
  // Node's own answer is to close the connection.
  server.on('connect', (_req, stream) => {
    const connection = connections.get(stream as Socket)
    if (connection) void endRefused(connection, unreadable('This is no proxy: CONNECT is not accepted.'))
  })
  server.on('connection', (socket) => {
    accepted++
    const connection = newConnection<Call>(socket)
    connections.set(socket, connection)
    socket.once('close', () => {
      connections.delete(socket)
      connection.ending = true
      // Node emits `close` only for the first of the answers that wait on a connection.
      for (const { res } of [...connection.exchanges]) if (!res.closed) res.emit('close')
    })
    // Node calls this to end a connection after its last answer.
    socket.destroySoon = () => end(connection)
  })
  server.on('timeout', (socket) => {
    const connection = connections.get(socket)
    if (connection) timedOut(connection)
  })
  const watching = setInterval(
    () => {
      const now = performance.now()
      for (const connection of connections.values()) watch(connection, stalled_ms, now)
    },
    Math.min(CHECK_MS, stalled_ms),
  ).unref()

  return {
    isDraining: () => state.draining,
    listen: (port, host) =>
      new Promise((done, fail) => {
        server.once('error', fail)
        server.listen({ port, host, backlog: BACKLOG }, () => {
          const address = server.address()
          done(typeof address === 'object' && address ? address.port : port)
        })
      }),
    async drain(ms, delay_ms = 0) {
      await drain({ server, connections, state, accepted: () => accepted }, ms, delay_ms)
      clearInterval(watching)
    },
  }
}
