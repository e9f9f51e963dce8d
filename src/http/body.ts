/** Reads the body of a request. */
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors/errors.ts'

/** The largest body of a request, if its operation does not say otherwise. */
export const MAX_BODY_BYTES = 1024 * 1024

/** 400 for a request that cannot be read. */
export const unreadable = (reason: string): ApiError => new ApiError('bad_request', { message: reason })

const tooLarge = (max_bytes: number) => new ApiError('payload_too_large', { details: { max_bytes } })

/** True if the headers announce a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

function checkEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity') return
  throw new ApiError('unsupported_media_type', {
    message: 'The request body must come as it is: no content encoding is accepted.',
    details: { supported: ['application/json'], supported_encodings: ['identity'] },
    headers: { 'Accept-Encoding': 'identity' },
  })
}

/** Looks at a body as it comes, and throws if it is refused for what it has. */
export type Look = (bytes: Uint8Array) => void

/**
 * The whole body; 415 when it is compressed, 413 when it is larger than `max_bytes`. A body that `look` refuses is read to its
 * end, and nothing of it is kept: the connection can be used again.
 */
export async function readBytes(req: IncomingMessage, max_bytes: number, look: Look): Promise<Buffer> {
  checkEncoding(req)
  if (Number(req.headers['content-length'] ?? 0) > max_bytes) throw tooLarge(max_bytes)
  return await new Promise((done, fail) => {
    let chunks: Buffer[] = []
    let size = 0
    let refusal: unknown

    function take(chunk: Buffer): void {
      try {
        look(chunk)
        chunks.push(chunk)
      } catch (error) {
        refusal = error
        chunks = []
      }
    }

    req.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= max_bytes) return void (refusal || take(chunk))
      req.pause()
      fail(tooLarge(max_bytes))
    })
    req.on('end', () => {
      if (refusal) fail(refusal)
      else done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    })
    req.on('error', fail)
    req.on('aborted', () => fail(unreadable('The body ended early.')))
  })
}
