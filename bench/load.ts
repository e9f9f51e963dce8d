/** Requests from many connections at once, each sent when the one before it is answered. */
import { randomUUID } from 'node:crypto'
import autocannon from 'autocannon'
import type { Contender } from './contender.ts'
import type { DatabaseCpu } from './database-cpu.ts'
import { median, percentile } from './figures.ts'
import type { Request } from './questions.ts'

export interface Load {
  requests: readonly Request[]
  connections: number
  seconds: number
  /** Whether to look for errors of GraphQL in the bodies too. */
  inspect?: boolean
}

export interface Loaded {
  answers: number
  socket_errors: number
  /** How many answers had which status other than 2xx; under 200, GraphQL answers with errors in them. */
  refused: Map<number, number>
  rate: number
  latencies: number[]
}

/** Connections start at different places of the list, so that they ask for different things at one time. */
const STEP = 7919

export async function load(base: string, asked: Load): Promise<Loaded> {
  const { requests, connections, seconds } = asked
  let offset = 0
  let [first, last] = [0, 0]
  const loaded: Loaded = { answers: 0, socket_errors: 0, refused: new Map(), rate: 0, latencies: [] }
  const options: autocannon.Options = {
    url: base,
    connections,
    duration: seconds,
    timeout: 60,
    // How often it looks whether the time is over, in milliseconds.
    sampleInt: 100,
    setupClient(client) {
      const start = (offset++ * STEP) % requests.length
      const list = [...requests.slice(start), ...requests.slice(0, start)]
      client.setRequests(list.map(requestOf))
    },
    ...(asked.inspect && { verifyBody: (body) => !String(body).includes('"errors":[') }),
  }
  const result = await new Promise<autocannon.Result>((done, fail) => {
    const instance = autocannon(options, (error, ended) => (error ? fail(error) : done(ended)))
    instance.on('response', (_client, status, _bytes, ms) => {
      last = performance.now()
      first ||= last - ms
      loaded.answers++
      loaded.latencies.push(ms)
      if (status < 200 || status > 299) loaded.refused.set(status, (loaded.refused.get(status) ?? 0) + 1)
    })
  })
  if (result.mismatches > 0) loaded.refused.set(200, result.mismatches)
  const socket_errors = result.errors + result.timeouts
  return { ...loaded, socket_errors, rate: (loaded.answers / (last - first)) * 1000 }
}

export const headersOf = (key: string) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
})

export const bodyOf = (body: Request['body']): string | undefined =>
  typeof body === 'function' ? body() : body

/** The request as the load generator takes it: built once, but for what no other request has. */
function requestOf({ key, idempotent, body, ...request }: Request): autocannon.Request {
  const headers = headersOf(key)
  const same = { ...request, headers }
  if (!idempotent && typeof body !== 'function') return { ...same, ...(body !== undefined && { body }) }
  const setupRequest = (built: autocannon.Request) => ({
    ...built,
    headers: { ...headers, ...(idempotent && newKey()) },
    body: bodyOf(body),
  })
  return { ...same, setupRequest } as autocannon.Request
}

export const newKey = () => ({ 'idempotency-key': randomUUID() })

export interface Measured {
  answers: number
  rate: number
  p50: number
  p99: number
  cpu_ms: number
  database_ms: number | null
}

/** Load that must be answered without an error, and what it cost. */
export async function measure(contender: Contender, database: DatabaseCpu, asked: Load): Promise<Measured> {
  const [cpu, db] = [contender.cpu(), await database.seconds()]
  const { answers, socket_errors, refused, rate, latencies } = await load(contender.base, asked)
  if (socket_errors > 0 || refused.size > 0)
    throw new Error(`${contender.name}: ${socket_errors} socket errors, ${JSON.stringify([...refused])}`)
  const perAnswer = (now: number, before: number) => ((now - before) / answers) * 1000
  const after = await database.seconds()
  return {
    answers,
    rate,
    p50: median(latencies),
    p99: percentile(latencies, 0.99),
    cpu_ms: perAnswer(contender.cpu(), cpu),
    database_ms: db === null || after === null ? null : perAnswer(after, db),
  }
}
