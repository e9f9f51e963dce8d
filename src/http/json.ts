/** Parses JSON from callers, with a bounded depth, so that later code may recurse. */
import { isUtf8 } from 'node:buffer'
import type { ApiError } from '../errors/errors.ts'
import { AT_ONCE_BYTES, parseInPieces } from '../lib/json-pieces.ts'
import { closingQuote, isEscaped, QUOTE } from '../lib/json-strings.ts'
import { createYield } from '../lib/yielding.ts'
import { unreadable } from './body.ts'
import type { HttpRequest } from './request.ts'

const MAX_LEVELS = 32
/**
 * The largest body that an operation takes is one of company filters: 50 filters of 3 values (itself, its two fields),
 * each with 500 options of 3 values, are 75,150. What GraphQL has around them is little.
 */
const MAX_VALUES = 80_000

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The byte order mark of UTF-8. */
const MARK = Buffer.from('\ufeff')
const COMMA = 44
const OPENING_BRACKET = 91
const CLOSING_BRACKET = 93
const OPENING_BRACE = 123
const CLOSING_BRACE = 125

/** True for white space, and for other control characters, which the parser refuses. */
const isSpace = (byte: number): boolean => byte <= 32

/**
 * Counts levels and values in the bytes of JSON as they come, up to the bounds, so that nothing larger is kept, or made of it.
 * A container has a value before each comma and one more, unless it is empty.
 */
function sizeCheck(subject: string): (bytes: Uint8Array) => void {
  const read = { levels: 0, values: 0, is_opened: false, in_string: false, is_escaped: false }

  /** The place after the string, or after the bytes if the string goes on. */
  function afterString(bytes: Uint8Array, at: number): number {
    const quote = closingQuote(bytes, at, read.is_escaped)
    read.in_string = quote === -1
    read.is_escaped = read.in_string && isEscaped(bytes, bytes.length, at, read.is_escaped)
    return read.in_string ? bytes.length : quote + 1
  }

  return (bytes) => {
    let at = read.in_string ? afterString(bytes, 0) : 0
    let { levels, values, is_opened } = read
    while (at < bytes.length) {
      const byte = bytes[at++] as number
      if (isSpace(byte)) continue
      const is_closing = byte === CLOSING_BRACKET || byte === CLOSING_BRACE
      if (byte === COMMA || (is_opened && !is_closing)) values++
      if (values > MAX_VALUES) throw unreadable(`${subject} has more than ${MAX_VALUES} values.`)
      is_opened = byte === OPENING_BRACKET || byte === OPENING_BRACE
      if (is_closing) levels--
      if (is_opened && ++levels > MAX_LEVELS)
        throw unreadable(`${subject} has more than ${MAX_LEVELS} levels of nesting.`)
      if (byte === QUOTE) at = afterString(bytes, at)
    }
    Object.assign(read, { levels, values, is_opened })
  }
}

const notJson = (subject: string): ApiError => unreadable(`${subject} is not JSON.`)

/** Parses a value; 400 for invalid or too large JSON. `subject` names its container in the message. */
export function parseJson(source: Uint8Array | string, subject: string): unknown {
  const bytes = typeof source === 'string' ? Buffer.from(source) : source
  sizeCheck(subject)(bytes)
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw notJson(subject)
  }
}

/** The bytes of the text, to which a byte order mark does not belong. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes

async function parsed(bytes: Buffer): Promise<unknown> {
  if (bytes.length <= AT_ONCE_BYTES || !isUtf8(bytes)) return JSON.parse(decoder.decode(bytes))
  const limits = { max_values: MAX_VALUES, max_bytes: bytes.length, yielded: createYield() }
  return await parseInPieces(withoutMark(bytes), limits)
}

/** The body and its JSON, whose size is checked as it comes; the same errors. No bytes are `empty`, if that is given. */
export async function readJson(
  request: Pick<HttpRequest, 'body'>,
  empty?: object,
): Promise<{ bytes: Buffer; value: unknown }> {
  const subject = 'The body'
  const bytes = await request.body(sizeCheck(subject))
  try {
    return { bytes, value: bytes.length === 0 && empty ? empty : await parsed(bytes) }
  } catch {
    throw notJson(subject)
  }
}
