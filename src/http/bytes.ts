/** Reads the body of a request. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** 400 for a body that says nothing. */
export const unreadable = (reason: string): ApiError =>
  new ApiError('bad_request', { message: reason, details: { reason } })

/** All of it; 413 when it is larger than a megabyte. */
export async function readBytes(req: IncomingMessage): Promise<Buffer> {
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
    req.on('end', () => done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    req.on('error', fail)
    req.on('aborted', () => fail(unreadable('The body ended early.')))
  })
}
