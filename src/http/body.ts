/** Reads the body of a request. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** 400 for a body that says nothing. */
export const unreadable = (reason: string): ApiError =>
  new ApiError('bad_request', { message: reason, details: { reason } })

const tooLarge = () => new ApiError('payload_too_large', { details: { max_bytes: MAX_BODY_BYTES } })

function checkEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity') return
  throw new ApiError('unsupported_media_type', {
    message: 'The request body must come as it is: no content encoding is accepted.',
    details: { supported: ['application/json'], supported_encodings: ['identity'] },
    headers: { 'Accept-Encoding': 'identity' },
  })
}

/** All of it; 415 when it is compressed, 413 when it is larger than a megabyte. */
export async function readBytes(req: IncomingMessage): Promise<Buffer> {
  checkEncoding(req)
  if (Number(req.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  return await new Promise((done, fail) => {
    const chunks: Buffer[] = []
    let size = 0
    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BODY_BYTES) return void chunks.push(chunk)
      req.pause()
      fail(tooLarge())
    })
    req.on('end', () => done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    req.on('error', fail)
    req.on('aborted', () => fail(unreadable('The body ended early.')))
  })
}
