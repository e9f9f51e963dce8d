/** Results of tools, as they are stored and shown to models: without secrets, and of a bounded length. */
import { redact } from '../gateway/redact.ts'
import { isObject } from '../lib/is-object.ts'
import { storable, storableText } from '../lib/text.ts'

/** The bytes of JSON that one result has at most. */
export const MAX_RESULT_BYTES = 64 * 1024

/** The characters of one part: escaped twice they are still less than a result may have. */
const PART = 20_000

/** The characters of a long result that are kept. */
export const MAX_KEPT = 1_000_000

type Result = Record<string, unknown>

/** A part of a long result. */
interface Part extends Result {
  /** The number of characters that can be read. */
  characters: number
  text: string
  /** The first character of the next part. null: this is the last one. */
  next_offset: number | null
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00

/** The part of the text that begins at the offset. No character is cut in two. */
export function partOf(text: string, offset: number): Part {
  const from = Math.min(offset, text.length)
  let end = Math.min(from + PART, text.length)
  if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--
  return {
    characters: text.length,
    text: storableText(text.slice(from, end)),
    next_offset: end < text.length ? end : null,
  }
}

/** The first part of a result that was too long; null for one that is whole. */
export const firstPartIn = (result: unknown): Part | null =>
  isObject(result) && result.truncated === true && typeof result.text === 'string' ? (result as Part) : null

interface Storable {
  /** The result itself, or its first part where it is too long. */
  result: Result
  /** The text of a result that is too long, to be read on. */
  whole: string | null
}

/** The result as it is stored and shown: without secrets, of at most 64 KiB. One that was made so stays as it is. */
export function storableResult(given: Result, call_id: string): Storable {
  const result = storable(redact(given)) as Result
  const text = JSON.stringify(result)
  if (Buffer.byteLength(text) <= MAX_RESULT_BYTES) return { result, whole: null }
  const whole = storableText(text.slice(0, MAX_KEPT))
  return { result: { truncated: true, call_id, ...partOf(whole, 0) }, whole }
}
