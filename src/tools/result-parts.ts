/** Long results of tools, in parts. */
import { isObject } from '../lib/is-object.ts'
import { storableText } from '../lib/text.ts'

/** The characters of one part: escaped twice they are still less than a result may have. */
const PART = 20_000

/** A part of a long result. */
interface Part extends Record<string, unknown> {
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
