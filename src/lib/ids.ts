/** Identifiers of what the service creates. */
import { randomBase62 } from './base62.ts'

/** A new id, unique without asking anybody: `key_` and 22 random characters for the prefix `key`. */
export const newId = (prefix: string): string => `${prefix}_${randomBase62(22)}`
