/** Results of tools, as they are stored and shown to models: without secrets, and of a bounded length. */
import { redact } from '../gateway/redact.ts'
import { storable, storableText } from '../lib/text.ts'
import { partOf } from './result-parts.ts'

/** The bytes of JSON that one result has at most. */
export const MAX_RESULT_BYTES = 64 * 1024

/** The characters of a long result that are kept. */
export const MAX_KEPT = 1_000_000

type Result = Record<string, unknown>

interface Storable {
  /** The result itself, or its first part if it is too long. */
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
