/** Identifiers of what the service creates. */
import { randomBase62 } from './base62.ts'

/** A new id, unique without asking anybody: `key_` and 22 random characters for the prefix `key`. */
export const newId = (prefix: string): string => `${prefix}_${randomBase62(22)}`

const WHOLE_NUMBER = /^-?(?:0|[1-9]\d{0,9})$/
const MAX_INTEGER = 2_147_483_647

/** The number that the id of a numbered row is; null where no row can have it. */
export function numberOf(id: string): number | null {
  const number = WHOLE_NUMBER.test(id) ? Number(id) : null
  return number !== null && Math.abs(number) <= MAX_INTEGER ? number : null
}
