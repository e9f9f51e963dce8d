/** Parses JSON from callers, with a bounded depth, so that later code may recurse. */
import { unreadable } from './body.ts'

const MAX_LEVELS = 32
/**
 * The largest body that an operation takes is one of company filters: 50 filters of 3 values (itself, its two fields),
 * each with 500 options of 3 values, are 75,150. What GraphQL has around them is little.
 */
const MAX_VALUES = 80_000

const decoder = new TextDecoder('utf-8', { fatal: true })

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Counts levels and values breadth first, up to the bounds. */
function checkSize(value: unknown, subject: string): void {
  let level = [value].filter(isContainer)
  let values = 0
  for (let levels = 1; level.length > 0; levels++) {
    if (levels > MAX_LEVELS) throw unreadable(`${subject} has more than ${MAX_LEVELS} levels of nesting.`)
    const next: object[] = []
    for (const container of level) {
      const inside = Object.values(container)
      values += inside.length
      if (values > MAX_VALUES) throw unreadable(`${subject} has more than ${MAX_VALUES} values.`)
      for (const each of inside) if (isContainer(each)) next.push(each)
    }
    level = next
  }
}

/** Parses a value; 400 for invalid or too large JSON. `subject` names its container in the message. */
export function parseJson(source: Uint8Array | string, subject: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(typeof source === 'string' ? source : decoder.decode(source))
  } catch {
    throw unreadable(`${subject} is not JSON.`)
  }
  checkSize(value, subject)
  return value
}
