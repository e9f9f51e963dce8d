/** Bodies of answers: at most so many bytes of each are read, and none is parsed at one go that is large. */

import { AT_ONCE_BYTES, parseInPieces, TooManyPieces } from '../../lib/json-pieces.ts'
import { createYield } from '../../lib/yielding.ts'
import { VendorFailure } from './failure.ts'

const MEGABYTE = 1024 * 1024

/** The usual maximum. */
export const MAX_ANSWER_BYTES = 4 * MEGABYTE

/** The maximum for lists without pages, whose rows have texts. */
export const LONG_LIST_BYTES = 12 * MEGABYTE

/** The maximum of one row. */
const MAX_ROW_BYTES = MEGABYTE

/** The most rows of one answer. Pages have at most 1,000, and lists without pages are of one thing. */
const MAX_ROWS = 20_000

const tooMuch = (system: string, what: string): VendorFailure =>
  new VendorFailure(`The answer of ${system} has more than ${what}`, { kind: 'TOO_MUCH' })

/** The bytes of the body. What is longer is not read to its end. */
export async function readBody(
  system: string,
  body: AsyncIterable<Uint8Array>,
  max_bytes: number,
  count: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > max_bytes) throw tooMuch(system, `${max_bytes} bytes`)
    count(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The JSON of the body; null for an empty one, undefined if it is not JSON. */
export async function parseBody(system: string, bytes: Buffer): Promise<unknown> {
  if (bytes.length === 0) return null
  try {
    if (bytes.length <= AT_ONCE_BYTES) return JSON.parse(bytes.toString('utf8')) as unknown
    const limits = { max_values: MAX_ROWS, max_bytes: MAX_ROW_BYTES, yielded: createYield() }
    return await parseInPieces(bytes, limits)
  } catch (error) {
    if (error instanceof TooManyPieces) throw tooMuch(system, 'a list of so many rows')
    return undefined
  }
}
