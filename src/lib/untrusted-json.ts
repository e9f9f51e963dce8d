/** JSON from outside, in a form that can be stored, compared and walked. */
import { storableText } from './text.ts'

interface Bounds {
  /** Levels of lists and objects. */
  max_depth: number
  /** Characters of the value as JSON. */
  max_characters: number
}

function storable(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object' || value === null) return value ?? null
  if (depth === 0) throw new RangeError('The value is too deep')
  if (Array.isArray(value)) return value.map((item) => storable(item, depth - 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storableText(name), storable(inner, depth - 1)]),
  )
}

/** The value in a form that can be stored; null if it is out of bounds. Strings may differ in what cannot be stored. */
export function boundedJson(
  value: unknown,
  { max_depth, max_characters }: Bounds,
): { value: unknown } | null {
  try {
    const bounded = storable(value, max_depth)
    return JSON.stringify(bounded).length <= max_characters ? { value: bounded } : null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
