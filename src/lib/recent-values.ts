/** Values that take long to make, kept while they are in use. */
export interface RecentValues<Value> {
  /** The value of this name, or that which `make` makes. */
  get(name: string, make: () => Promise<Value>): Promise<Value>
}

/** Keeps the latest that were asked for, `most` at once, until nobody has asked for `idle_ms`. Failures are not kept. */
export function recentValues<Value>({
  most,
  idle_ms,
}: {
  most: number
  idle_ms: number
}): RecentValues<Value> {
  const kept = new Map<string, { value: Promise<Value>; timer: NodeJS.Timeout }>()
  const forget = (name: string, value: Promise<Value>): void => {
    const entry = kept.get(name)
    if (entry?.value !== value) return
    clearTimeout(entry.timer)
    kept.delete(name)
  }
  return {
    get(name, make) {
      const known = kept.get(name)
      if (known) {
        known.timer.refresh()
        kept.delete(name)
        kept.set(name, known)
        return known.value
      }
      for (const [oldest, { value }] of kept) {
        if (kept.size < most) break
        forget(oldest, value)
      }
      const value = make()
      kept.set(name, { value, timer: setTimeout(() => forget(name, value), idle_ms).unref() })
      value.catch(() => forget(name, value))
      return value
    },
  }
}
