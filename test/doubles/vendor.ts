/** The server of HTTP doubles of vendors. It plays faults, and keeps a record of the requests that the double refuses. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Row = Record<string, unknown>

/**
 * A fault of a request. LOST: the request is served, and the connection is cut in place of the answer. TOO_MANY has the
 * vendor's header; TOO_MANY_WAIT asks for a pause of a second, and TOO_MANY_BARE has no header, whatever the vendor. LATE_ERROR:
 * the request is served, and answered with 500. A number is the status of a refusal.
 */
export type Fault =
  | 'TOO_MANY'
  | 'TOO_MANY_WAIT'
  | 'TOO_MANY_BARE'
  | 'ERROR'
  | 'UNAVAILABLE'
  | 'NO_ANSWER'
  | 'LOST'
  | 'LATE_ERROR'
  | 'HALF'
  | 'MALFORMED'
  | 400
  | 401
  | 403
  | 404
  | 409
  | 422

export interface DoubleRequest {
  method: string
  url: URL
  headers: IncomingHttpHeaders
  text: string
}

export interface DoubleAnswer {
  status: number
  body: unknown
  headers?: Readonly<Record<string, string>>
}

interface RefusalOptions {
  /** The adapter may send such a request: it is no violation. */
  is_expected?: boolean
}

/** Answers in the place of the double, whose answer is given. */
export type Hostility = (response: ServerResponse, answer: DoubleAnswer) => void

/** The paths that give an adapter its token or its address. A hostile double answers them as the vendor does. */
const SIGN_IN = /token|authinfo|zoneInformation/i

/** What a double throws to refuse a request. */
export class Refusal extends Error {
  readonly status: number
  readonly is_expected: boolean

  constructor(status: number, message: string, { is_expected = false }: RefusalOptions = {}) {
    super(message)
    this.status = status
    this.is_expected = is_expected
  }
}

interface VendorOptions {
  serve: (request: DoubleRequest) => DoubleAnswer | Promise<DoubleAnswer>
  /** The body of a refusal. */
  errorBody: (status: number, message: string) => unknown
  /** The header of a 429; null: the vendor sends none. */
  retry_after: string | null
}

/** The part of an address before the object that a request is about. */
const BASE = /^.*?\/(?:apis\/3\.0|v1\.0|api)(?=\/)/

/** The kind of a request, such as `GET /service/tickets/{id}`, and the object that it is about, such as `/service/tickets`. */
function kindOf(method: string, { pathname }: URL): { kind: string; object: string } {
  const path = pathname.replace(BASE, '')
  return {
    kind: `${method} ${path.replaceAll(/\/\d+/g, '/{id}')}`,
    object: path.replace(/\/(\d+|query|entityInformation)(\/.*)?$/, ''),
  }
}

/** The numbers of requests. */
interface Counts {
  /** The requests that came, by kind. */
  by_kind: Map<string, number>
  /** The most requests that were under way at once, by object. */
  at_once: Map<string, number>
}

/** The faults of requests that are served. */
type Served = 'LOST' | 'LATE_ERROR'

const isServed = (fault: Fault): fault is Served => fault === 'LOST' || fault === 'LATE_ERROR'

/** The header of a refusal. */
const RETRY_AFTER: Partial<Record<Fault, string | null>> = { TOO_MANY_WAIT: '1', TOO_MANY_BARE: null }

const JSON_TYPE = { 'content-type': 'application/json' }

export async function startVendor({ serve, errorBody, retry_after }: VendorOptions) {
  const requests: string[] = []
  /** The requests that the vendor's documents do not allow. */
  const violations: string[] = []
  const faults: (Fault | null)[] = []
  const chance: { fault: (() => Fault | undefined) | null } = { fault: null }
  const hostile: { play: Hostility | null } = { play: null }
  const busy = { retry_after }
  const served: { after: ((request: DoubleRequest, answer: DoubleAnswer) => void) | null } = { after: null }
  const pace = { ms: 0 }
  const counts: Counts = { by_kind: new Map(), at_once: new Map() }
  const under_way = new Map<string, number>()

  /** Counts the request. The result ends it. */
  function counted(method: string, url: URL): () => void {
    const { kind, object } = kindOf(method, url)
    counts.by_kind.set(kind, (counts.by_kind.get(kind) ?? 0) + 1)
    const now = (under_way.get(object) ?? 0) + 1
    under_way.set(object, now)
    counts.at_once.set(object, Math.max(now, counts.at_once.get(object) ?? 0))
    return () => void under_way.set(object, (under_way.get(object) ?? 1) - 1)
  }

  function send(response: ServerResponse, { status, body, headers }: DoubleAnswer): void {
    response.writeHead(status, { ...JSON_TYPE, ...headers })
    response.end(body === undefined ? '' : JSON.stringify(body))
  }

  function play(fault: Exclude<Fault, Served>, response: ServerResponse): void {
    if (fault === 'TOO_MANY' || fault === 'TOO_MANY_WAIT' || fault === 'TOO_MANY_BARE') {
      const seconds = fault === 'TOO_MANY' ? busy.retry_after : RETRY_AFTER[fault]
      const headers: Record<string, string> = seconds ? { 'retry-after': seconds } : {}
      send(response, { status: 429, body: errorBody(429, 'Too many requests'), headers })
    } else if (typeof fault === 'number') send(response, { status: fault, body: errorBody(fault, 'Refused') })
    else if (fault === 'UNAVAILABLE') send(response, { status: 503, body: errorBody(503, 'Error') })
    else if (fault === 'ERROR') send(response, { status: 500, body: errorBody(500, 'Error') })
    else if (fault === 'MALFORMED') response.writeHead(200, JSON_TYPE).end('{"id": ')
    else if (fault === 'HALF') {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '500' }).write('[{"id":')
      setImmediate(() => response.destroy())
    }
  }

  async function answerOf(request: DoubleRequest): Promise<DoubleAnswer> {
    try {
      return await serve(request)
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(500, String((error as Error).stack))
      if (!refusal.is_expected) violations.push(`${requests.at(-1)}: ${refusal.message}`)
      return { status: refusal.status, body: errorBody(refusal.status, refusal.message) }
    }
  }

  const server = createServer((message, response) => {
    let text = ''
    message.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    message.on('end', async () => {
      const { method = '', headers } = message
      const url = new URL(message.url ?? '', `http://${headers.host}`)
      requests.push(`${method} ${decodeURIComponent(url.pathname)}${decodeURIComponent(url.search)}`)
      response.once('close', counted(method, url))
      const fault = faults.shift() ?? chance.fault?.()
      if (pace.ms > 0) await sleep(pace.ms)
      if (fault && !isServed(fault)) {
        play(fault, response)
        return
      }
      const request = { method, url, headers, text }
      const answer = await answerOf(request)
      served.after?.(request, answer)
      if (hostile.play && !SIGN_IN.test(url.pathname)) hostile.play(response, answer)
      else if (fault === 'LOST') response.destroy()
      else if (fault === 'LATE_ERROR') send(response, { status: 500, body: errorBody(500, 'Error') })
      else send(response, answer)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Every request: method, path and query. */
    requests,
    violations,
    /** The faults of the next requests; null: the request has none. */
    faults,
    /** The fault of any other request, if it is not null. */
    chance,
    /** The header of a 429. */
    busy,
    /** The answers to requests other than those that sign in; null: those of the vendor. */
    hostile,
    /** Told of each request that was served, before it is answered. */
    served,
    /** The time after which a request is served. */
    pace,
    counts,
    /** Refuses connections until the answer is called. */
    async refuse() {
      await new Promise((done) => server.close(done).closeAllConnections())
      return () => new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
    },
    close: () => new Promise((done) => server.close(done).closeAllConnections()),
  }
}

export type Vendor = Awaited<ReturnType<typeof startVendor>>

/** The body of a request; a violation if it is none, or if its content type is another. */
export function jsonOf({ headers, text }: DoubleRequest): unknown {
  if (text === '') return undefined
  if (!headers['content-type']?.startsWith('application/json')) throw new Refusal(400, 'content-type')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new Refusal(400, 'no JSON')
  }
}

/** The fields of a body by their kinds. A reference is an object with an id. */
export type Fields = Readonly<Record<string, 'number' | 'string' | 'boolean' | 'reference' | 'numbers'>>

const isReference = (value: unknown): boolean =>
  typeof value === 'object' && typeof (value as Row | null)?.id === 'number'

const isNumbers = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'number')

export function checkField(name: string, value: unknown, kind: Fields[string] | undefined): void {
  if (kind === 'reference' ? isReference(value) : kind === 'numbers' ? isNumbers(value) : false) return
  if (kind === undefined || typeof value !== kind) throw new Refusal(400, `field ${name}`)
}

/** The body, if it has fields of these alone, of their kinds. */
export function checkFields(body: unknown, fields: Fields): Row {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'not an object')
  for (const [name, value] of Object.entries(body)) checkField(name, value, fields[name])
  return body as Row
}
