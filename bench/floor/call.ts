/** One request: when it came, who sent it, how it is answered. */
import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'

export type Role = 'OWNER' | 'ADMIN' | 'USER' | 'VIEWER'

export interface Caller {
  id: string
  name: string
  tenant_id: string
  environment: string
  scopes: string[]
  expires_at: Date
  acting_user: { id: string; name: string; role: Role } | null
  /** The users who stand behind the call: the one that it acts for, and who made its key. */
  user_ids: string[]
  /** The user who sees only the agents that they created or were shared; null: every agent of the tenant. */
  restricted_to: string | null
}

export interface Standing {
  /** Its name in the headers, and in the list of limits. */
  item: string
  name: string
  window_seconds: number
  limit: number
  remaining: number
  reset_seconds: number
}

export interface Call {
  id: string
  ip: string
  user_agent: string | null
  started: number
  auth_ms: number
  db_ms: number
  caller: Caller
  standings: Standing[]
}

export class Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string) {
    super(code)
    this.status = status
    this.code = code
  }
}

export interface Page {
  next_cursor: string | null
  has_more: boolean
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100

export interface Answer {
  data: unknown
  pagination?: Page
  warnings?: readonly string[]
}

export function sendData(
  reply: FastifyReply,
  call: Call,
  { data, pagination, warnings = [] }: Answer,
): FastifyReply {
  const timings_ms = {
    total: rounded(performance.now() - call.started),
    auth: rounded(call.auth_ms),
    ...(call.db_ms > 0 && { db: rounded(call.db_ms) }),
  }
  const timing = Object.entries(timings_ms).map(([name, ms]) => `${name};dur=${ms}`)
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': call.id,
    'api-version': '1.0.0',
    'cache-control': 'no-store',
    'server-timing': timing.join(', '),
    'x-content-type-options': 'nosniff',
    'ratelimit-policy': call.standings
      .map(({ item, limit, window_seconds }) => `"${item}";q=${limit};w=${window_seconds}`)
      .join(', '),
    ratelimit: call.standings
      .map(({ item, remaining, reset_seconds }) => `"${item}";r=${remaining};t=${reset_seconds}`)
      .join(', '),
  })
  const meta = {
    request_id: call.id,
    timings_ms,
    ...(pagination && { pagination }),
    ...(warnings.length > 0 && { warnings }),
  }
  return reply.send(JSON.stringify({ data, meta }))
}

export function sendRefusal(reply: FastifyReply, { status, code }: Refusal): FastifyReply {
  const request_id = randomUUID()
  return reply
    .code(status)
    .headers({ 'x-request-id': request_id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .send({ error: { code }, meta: { request_id } })
}
