/** A set whose names expire, with a maximum size: a new name replaces the oldest one. */
export interface ExpiringSet {
  has(name: string): boolean
  add(name: string): void
  delete(name: string): void
}

export function expiringSet(most: number, seconds: number, elapsed = () => performance.now()): ExpiringSet {
  const added = new Map<string, number>()
  return {
    has(name) {
      const at = added.get(name)
      if (at === undefined) return false
      if (elapsed() - at < seconds * 1000) return true
      added.delete(name)
      return false
    },
    add(name) {
      if (added.size === most && !added.has(name)) {
        const [oldest = ''] = added.keys()
        added.delete(oldest)
      }
      added.set(name, elapsed())
    },
    delete: (name) => void added.delete(name),
  }
}
