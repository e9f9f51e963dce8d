/**
 * The grammar of `conditions`: strings in quotes, dates in brackets, references by `/`. Source: ConnectWise Developer
 * Guide, “API Requests” (chihlasm/resolutionflow, docs/connectwise/best-practices/PSA-API-Requests.md).
 */

/** In seconds, which is all that the vendor keeps. */
export const dateOf = (date: Date): string => `[${date.toISOString().slice(0, 19)}Z]`

/** Quotes end a string, and `% * _ [ ]` are patterns in `contains`; how they are escaped is unverified. */
const SPECIAL = /["\\%*_[\]]+/

/**
 * True of every row that has the word in one of the fields, and of some that do not if it has special characters: the
 * caller filters the answer.
 */
export function contains(fields: readonly string[], word: string): string | null {
  const pieces = word.split(SPECIAL).filter(Boolean)
  if (pieces.length === 0) return null
  const one = (field: string) => pieces.map((piece) => `${field} contains "${piece}"`).join(' and ')
  return `(${fields.map((field) => `(${one(field)})`).join(' or ')})`
}

export const every = (...conditions: readonly (string | null | undefined | false)[]): string =>
  conditions.filter(Boolean).join(' and ')
