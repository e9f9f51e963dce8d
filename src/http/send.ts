/** Writes answers to the socket. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isCurrent, readEntityTags } from '../gateway/entity-tags.ts'

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Sends the answer: no body for HEAD, 304 where the client has this version already. */
export function send(req: IncomingMessage, res: ServerResponse, answer: HttpAnswer): void {
  if (res.headersSent || res.destroyed) return
  const { status, headers, body } = answer
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  const known = req.headers['if-none-match']
  if (
    status === 200 &&
    isRead &&
    headers.ETag &&
    isCurrent(readEntityTags('If-None-Match', known), headers.ETag)
  ) {
    const { 'Content-Type': _type, ...kept } = headers
    res.writeHead(304, kept).end()
    return
  }
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  res.end(req.method === 'HEAD' ? undefined : body)
}
