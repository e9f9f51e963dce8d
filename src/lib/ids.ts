/** Identifiers. */
import { randomBase62 } from './base62.ts'
import { isStorable, storableText } from './text.ts'

/** A new random id: `key_` and 22 characters for the prefix `key`. */
export const newId = (prefix: string): string => `${prefix}_${randomBase62(22)}`

/** The numbers that rows have. */
export const INTEGER_ID = /^[1-9]\d{0,9}$/
const MAX_INTEGER = 2_147_483_647

/** Parses the id of a row with an integer key; null if no row can have it. */
export function numberOf(id: string): number | null {
  const number = INTEGER_ID.test(id) ? Number(id) : null
  return number !== null && number <= MAX_INTEGER ? number : null
}

const MAX_CHARACTERS = 200
// A noncharacter: no row has an id that begins with it.
const NO_ID = '\uffff'

/** The id as sent. Text that cannot be stored becomes an id that no row has; `shownId` reverses that. */
export const idOrNone = (sent: string): string =>
  sent.length <= MAX_CHARACTERS && isStorable(sent) && !sent.startsWith(NO_ID)
    ? sent
    : NO_ID + storableText(sent.slice(0, MAX_CHARACTERS))

/** The id as sent, made well-formed and cut to 200 characters. */
export const shownId = (id: string): string => (id.startsWith(NO_ID) ? id.slice(NO_ID.length) : id)
