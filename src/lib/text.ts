/** Text that PostgreSQL can store. */

/** False for text with NUL or a lone surrogate, which no column stores. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** The longest name that a path shows. */
const NAME_CHARACTERS = 64

/** What PostgreSQL does not store as JSON, by its path. */
interface Unstorable {
  path: string
  is: 'TEXT' | 'NUMBER'
}

/** The texts, names and numbers in a JSON value that cannot be stored, at any depth. */
export function unstorableIn(value: unknown, path: string): Unstorable[] {
  const at = (name: string | number) => (path ? `${path}.${name}` : String(name))
  if (typeof value === 'string') return isStorable(value) ? [] : [{ path, is: 'TEXT' }]
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [{ path, is: 'NUMBER' }]
  if (Array.isArray(value)) return value.flatMap((item, index) => unstorableIn(item, at(index)))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]): Unstorable[] =>
    isStorable(name) ? unstorableIn(item, at(name.slice(0, NAME_CHARACTERS))) : [{ path, is: 'TEXT' }],
  )
}

/** The text with a replacement character for NUL and for each lone surrogate. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

const MAX_DEPTH = 100

/** A JSON value whose texts can be stored. What is nested deeper than 100 levels becomes null. */
export function storable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storableText(name), storable(inner, depth + 1)]),
  )
}
