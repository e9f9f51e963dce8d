/** Writes answers to the socket. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { names } from '../graphql/etag.ts'

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
  /** The tag is of the version, and not of everything that the answer says: there is no 304. */
  volatile?: boolean
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends the answer: no body for HEAD, 304 where the client has this version already. */
export function send(req: IncomingMessage, res: ServerResponse, answer: HttpAnswer): void {
  if (res.headersSent || res.destroyed) return
  const { status, headers, body, volatile = false } = answer
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  const known = req.headers['if-none-match']
  if (status === 200 && isRead && !volatile && known && headers.ETag && names(known, headers.ETag)) {
    const { 'Content-Type': _type, ...kept } = headers
    res.writeHead(304, kept).end()
    return
  }
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  res.end(req.method === 'HEAD' ? undefined : body)
}
