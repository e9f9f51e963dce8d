/** Writes answers as JSON, none of which is larger than answers may be. */
import { tooLarge } from '../db/read-budget.ts'
import { jsonWithin } from '../lib/json-within.ts'
import type { Context } from './context.ts'

/** The part of the largest answer that a value may surely have to be written in one piece. */
const LIGHT = 1 / 4

/**
 * The value as JSON; 422 if that is too large, before it is whole. Most answers are known to be light by what was read
 * for them, and are written at once.
 */
export function answerJson({ reads, outcome }: Pick<Context, 'reads' | 'outcome'>, value: unknown): string {
  if (!reads) return JSON.stringify(value)
  const { max_bytes, read, repeats } = reads
  const is_light = read * repeats <= max_bytes * LIGHT
  const text = is_light ? JSON.stringify(value) : jsonWithin(value, max_bytes)
  if (text !== null && !(text.length > max_bytes / 3 && Buffer.byteLength(text) > max_bytes)) return text
  throw tooLarge(
    max_bytes,
    // Contract silent: a change stands even if its answer cannot be sent.
    outcome === 'RECORDED'
      ? 'The change was made, but its answer would be larger than answers may be.'
      : undefined,
  )
}
