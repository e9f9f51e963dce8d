/** Identifiers of what the service creates. */
import { randomBase62 } from './base62.ts'
import { isStorable } from './text.ts'

/** A new id, unique without asking anybody: `key_` and 22 random characters for the prefix `key`. */
export const newId = (prefix: string): string => `${prefix}_${randomBase62(22)}`

const WHOLE_NUMBER = /^-?(?:0|[1-9]\d{0,9})$/
const MAX_INTEGER = 2_147_483_647

/** The number that the id of a numbered row is; null where no row can have it. */
export function numberOf(id: string): number | null {
  const number = WHOLE_NUMBER.test(id) ? Number(id) : null
  return number !== null && Math.abs(number) <= MAX_INTEGER ? number : null
}

const MAX_CHARACTERS = 200
// A noncharacter: no row has an id that begins with it.
const NO_ID = '\uffff'

/** The id that was sent; what cannot be one becomes an id that no row has, which `shownId` turns back. */
export const idOrNone = (sent: string): string =>
  sent.length <= MAX_CHARACTERS && isStorable(sent) && !sent.startsWith(NO_ID)
    ? sent
    : NO_ID + sent.slice(0, MAX_CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd')

/** The id as it was sent, made well-formed and cut to 200 characters. */
export const shownId = (id: string): string => (id.startsWith(NO_ID) ? id.slice(NO_ID.length) : id)
