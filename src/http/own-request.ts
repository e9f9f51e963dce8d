/** A request that the service sends to itself: it comes over no connection, and nobody reads its answer. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { HttpRequest } from './request.ts'

export interface OwnRequest {
  method: 'GET' | 'POST'
  /** The path. */
  url: string
  /** JSON. */
  body?: string
}

/** The request, and the response that takes its answer. */
export function ownRequest({ method, url, body }: OwnRequest): {
  request: HttpRequest
  res: ServerResponse
} {
  const message = new IncomingMessage(new Socket())
  const sent = body !== undefined && {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
  Object.assign(message, { method, url, headers: { host: 'localhost', ...sent }, complete: true })
  if (body !== undefined) message.push(body)
  message.push(null)
  const client = { ip: '127.0.0.1', is_sure: true }
  return { request: new HttpRequest(message, client), res: new ServerResponse(message) }
}
