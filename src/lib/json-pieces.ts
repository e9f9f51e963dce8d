/** Parses large JSON in pieces, so that no other work waits for the whole of it. */
import { closingQuote, QUOTE } from './json-strings.ts'
import type { Yield } from './yielding.ts'

const [COMMA, COLON] = [0x2c, 0x3a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const WHITE_SPACE = new Set([0x20, 0x09, 0x0a, 0x0d])

interface PiecesOptions {
  /** The most values of all lists that are read in pieces. */
  max_values: number
  /** The most bytes of one value. */
  max_bytes: number
  /** Awaited after each value. */
  yielded: Yield
}

/** The JSON has more than it may have. */
export class TooManyPieces extends Error {}

/** The text, with the place at which it is read. */
interface Reader {
  bytes: Buffer
  at: number
}

const malformed = (): never => {
  throw new SyntaxError('The text is not JSON')
}

/** The next byte that is no white space. */
function next(reader: Reader): number | undefined {
  while (WHITE_SPACE.has(reader.bytes[reader.at] ?? 0)) reader.at++
  return reader.bytes[reader.at]
}

function take(reader: Reader, byte: number): void {
  if (next(reader) !== byte) malformed()
  reader.at++
}

/** The place after the string that begins at this one. */
function endOfString(bytes: Buffer, at: number): number {
  const quote = closingQuote(bytes, at + 1)
  return quote === -1 ? malformed() : quote + 1
}

const isEnd = (byte: number): boolean =>
  byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT || WHITE_SPACE.has(byte)

/** The place after the value that begins at this one. What is in it is judged when it is parsed. */
function endOfValue({ bytes, at: start }: Reader, max_bytes: number): number {
  let at = start
  let depth = 0
  do {
    const byte = bytes[at]
    if (byte === undefined) return malformed()
    if (at - start > max_bytes) throw new TooManyPieces(`A value has more than ${max_bytes} bytes`)
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) [depth, at] = [depth + 1, at + 1]
    else if (depth === 0) while (at < bytes.length && !isEnd(bytes[at] as number)) at++
    else {
      if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
      at++
    }
  } while (depth > 0)
  if (at - start > max_bytes) throw new TooManyPieces(`A value has more than ${max_bytes} bytes`)
  return at
}

function valueAt(reader: Reader, max_bytes: number): unknown {
  const end = endOfValue(reader, max_bytes)
  const text = reader.bytes.toString('utf8', reader.at, end)
  reader.at = end
  return JSON.parse(text) as unknown
}

/** More bytes of JSON than these hold the event loop for longer than a slice if they are parsed at one go. */
export const AT_ONCE_BYTES = 128 * 1024

/** Objects in an object are gone into so deep. */
const MAX_LEVELS = 4

/** The value of a JSON text: those of its list, or of the lists in its objects, are parsed one by one. */
export async function parseInPieces(
  bytes: Buffer,
  { max_values, max_bytes, yielded }: PiecesOptions,
): Promise<unknown> {
  const reader: Reader = { bytes, at: 0 }
  let values = 0

  async function each(close: number, read: () => Promise<void> | void): Promise<void> {
    reader.at++
    if (next(reader) === close) {
      reader.at++
      return
    }
    for (;;) {
      if (++values > max_values) throw new TooManyPieces(`There are more than ${max_values} values`)
      next(reader)
      await read()
      await yielded()
      if (next(reader) === close) break
      take(reader, COMMA)
    }
    reader.at++
  }

  async function list(): Promise<unknown[]> {
    const rows: unknown[] = []
    await each(CLOSE_LIST, () => void rows.push(valueAt(reader, max_bytes)))
    return rows
  }

  async function object(level: number): Promise<Record<string, unknown>> {
    const members: [string, unknown][] = []
    await each(CLOSE_OBJECT, async () => {
      if (next(reader) !== QUOTE) malformed()
      const name = valueAt(reader, max_bytes) as string
      take(reader, COLON)
      members.push([name, await any(level + 1)])
    })
    return Object.fromEntries(members)
  }

  async function any(level: number): Promise<unknown> {
    const first = next(reader)
    if (first === OPEN_LIST) return await list()
    if (first === OPEN_OBJECT && level < MAX_LEVELS) return await object(level)
    return valueAt(reader, max_bytes)
  }

  const value = await any(0)
  if (next(reader) !== undefined) malformed()
  return value
}
