/** The names by which people know support requests. */
import { randomInt } from 'node:crypto'

/** Digits and capital letters without those that look like others. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A new name: `SR-` and eight characters, each of them equally likely. */
export const newReference = (): string =>
  `SR-${Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`
