/** Reads a JSON body: 415, 413 and 400, in this order. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'

export const MAX_BODY_BYTES = 1024 * 1024

function checkType(req: IncomingMessage): void {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';')
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='))
  const readable = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (type.trim() === 'application/json' && readable && encoding === 'identity') return
  throw new ApiError('unsupported_media_type', { details: { supported: ['application/json'] } })
}

async function readBytes(req: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => new ApiError('payload_too_large', { details: { max_bytes: MAX_BODY_BYTES } })
  if (Number(req.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  return await new Promise((done, fail) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BODY_BYTES) {
        req.removeAllListeners('data')
        req.resume()
        fail(tooLarge())
      } else chunks.push(chunk)
    })
    req.on('end', () => done(Buffer.concat(chunks)))
    req.on('error', fail)
    req.on('aborted', () => fail(unreadable('The body ended early.')))
  })
}

const unreadable = (reason: string) => new ApiError('bad_request', { message: reason, details: { reason } })

const decoder = new TextDecoder('utf-8', { fatal: true })

function parseObject(bytes: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes))
  } catch {
    throw unreadable('The body is not JSON.')
  }
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
