/** The strings in the bytes of JSON. */

export const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * True if the byte at this place of a string is escaped. What is looked at of the string begins at `from`, the first byte of
 * which is escaped or not.
 */
export function isEscaped(bytes: Uint8Array, at: number, from: number, first = false): boolean {
  let backslashes = 0
  while (at - backslashes > from && bytes[at - backslashes - 1] === BACKSLASH) backslashes++
  const is_odd = backslashes % 2 === 1
  return first && at - backslashes === from ? !is_odd : is_odd
}

/** The place of the quote that ends the string; -1 if it does not end. The arguments are those of `isEscaped`. */
export function closingQuote(bytes: Uint8Array, from: number, first = false): number {
  let quote = bytes.indexOf(QUOTE, from)
  while (quote !== -1 && isEscaped(bytes, quote, from, first)) quote = bytes.indexOf(QUOTE, quote + 1)
  return quote
}
