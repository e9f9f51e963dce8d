/** Cross-origin requests: from the origins in the configuration, without cookies, and from nowhere else. */
import type { IncomingMessage, ServerResponse } from 'node:http'

const EXPOSED = [
  'ETag',
  'Location',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
  'API-Version',
  'Idempotency-Replayed',
  'Sunset',
  'Server-Timing',
  'Last-Event-ID',
].join(', ')

const ACCEPTED =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, X-Acting-User, ' +
  'Last-Event-ID'

/** Sets the CORS headers that the request's origin is entitled to. */
export function allowOrigin(req: IncomingMessage, res: ServerResponse, origins: readonly string[]): void {
  if (origins.length === 0) return
  res.setHeader('Vary', 'Origin')
  const { origin } = req.headers
  if (origin === undefined || !origins.includes(origin)) return
  res.setHeader('Access-Control-Allow-Origin', origin)
  res.setHeader('Access-Control-Expose-Headers', EXPOSED)
}

/** True for a preflight request from an allowed origin. */
export const isPreflight = (req: IncomingMessage, res: ServerResponse): boolean =>
  res.hasHeader('Access-Control-Allow-Origin') && 'access-control-request-method' in req.headers

/** All methods, at every path: a browser shows a page the 404 or 405 only of a request that it may send. */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'

/** Answers OPTIONS with `headers`: the methods of the path and, for an allowed origin, the accepted request headers. */
export function answerOptions(
  res: ServerResponse,
  allow: readonly string[],
  headers: Record<string, string>,
): void {
  res.setHeader('Allow', allow.join(', '))
  if (res.hasHeader('Access-Control-Allow-Origin')) {
    res.setHeader('Access-Control-Allow-Methods', METHODS)
    res.setHeader('Access-Control-Allow-Headers', ACCEPTED)
    res.setHeader('Access-Control-Max-Age', '600')
  }
  res.writeHead(204, headers).end()
}
