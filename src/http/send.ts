/** Sends complete answers. */
import type { ServerResponse } from 'node:http'
import { entityTagsRule, isCurrent, parseEntityTags } from '../lib/entity-tags.ts'
import { unreadable } from './body.ts'

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** True if `If-None-Match` names the tag; 400 if the header is not one of entity tags. */
export function isUnmodified(if_none_match: string | undefined, etag: string): boolean {
  if (if_none_match === undefined) return false
  const tags = parseEntityTags(if_none_match)
  if (tags === null) throw unreadable(entityTagsRule('If-None-Match'))
  return isCurrent(tags, etag)
}

/** Sends the answer: no body for HEAD, 304 if the client has this version already. */
export function send(res: ServerResponse, answer: HttpAnswer): void {
  if (res.headersSent || res.destroyed) return
  const { method, headers: asked } = res.req
  const { status, headers, body } = answer
  const isRead = method === 'GET' || method === 'HEAD'
  if (status === 200 && isRead && headers.ETag && isUnmodified(asked['if-none-match'], headers.ETag)) {
    const { 'Content-Type': _type, 'Content-Encoding': _encoding, ...kept } = headers
    res.writeHead(304, kept).end()
    return
  }
  res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  res.end(method === 'HEAD' ? undefined : body)
}
