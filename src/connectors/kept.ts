/** What adapters keep of systems for a while: addresses, tokens, lists of choices. */
import { onBehalfOf } from './http/asking.ts'
import { READ_BOUNDS, withinBounds } from './http/call.ts'

export interface Kept<Value> {
  /** The value of this name, which is loaded unless it is kept. Concurrent callers share one load; failures are not kept. */
  get(name: string, load: () => Promise<Value>): Promise<Value>
  forget(name: string): void
}

/** Others wait for what is loaded, whoever they are. */
const FIRST = { pace: 'PERSON' } as const

/** The maximum number of values: a new one replaces the oldest. */
const MAX_KEPT = 1000

interface Options {
  /** Monotonic milliseconds. */
  elapsed?: () => number
}

/** Values are kept for `ms` after their load began. A load has bounds of its own: it does not end with the call that began it. */
export function createKept<Value>(
  ms: number,
  { elapsed = () => performance.now() }: Options = {},
): Kept<Value> {
  const kept = new Map<string, { value: Promise<Value>; at: number }>()
  return {
    get(name, load) {
      const known = kept.get(name)
      if (known && elapsed() - known.at < ms) return known.value
      kept.delete(name)
      if (kept.size === MAX_KEPT) kept.delete(kept.keys().next().value as string)
      const entry = { value: onBehalfOf(FIRST, () => withinBounds(READ_BOUNDS, load)), at: elapsed() }
      kept.set(name, entry)
      entry.value.catch(() => {
        if (kept.get(name) === entry) kept.delete(name)
      })
      return entry.value
    },
    forget: (name) => void kept.delete(name),
  }
}
