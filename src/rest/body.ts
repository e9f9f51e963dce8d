/** Reads a JSON body: 415, 413 and 400, in this order. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'
import { readBytes, unreadable } from '../http/body.ts'
import { parseJson } from '../http/json.ts'

function checkType(req: IncomingMessage): void {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='))
  const readable = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  if (type.trim() === 'application/json' && readable) return
  throw new ApiError('unsupported_media_type', { details: { supported: ['application/json'] } })
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  const value = parseJson(bytes, 'The body')
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw unreadable('The body must be a JSON object.')
}

const isSent = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** The object in the body; no body is an empty object. */
export async function readBody(req: IncomingMessage): Promise<Record<string, unknown>> {
  if (!isSent(req)) return {}
  checkType(req)
  const bytes = await readBytes(req)
  return bytes.length === 0 ? {} : parseObject(bytes)
}
