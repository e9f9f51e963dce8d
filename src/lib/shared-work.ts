/** Work that is done once for all who ask for the same within a short time. */
export interface SharedWork<Result> {
  /** The result of the work of this name, if it began at `not_before` or later; otherwise `work` begins. */
  run(name: string, not_before: number, work: () => Promise<Result>): Promise<Result>
}

/** Results are kept for `ms` after their work began. Instants are those of `performance.now()`. Failures are not kept. */
export function sharedWork<Result>(ms: number): SharedWork<Result> {
  const kept = new Map<string, { began: number; result: Promise<Result> }>()
  return {
    run(name, not_before, work) {
      const known = kept.get(name)
      if (known && known.began >= not_before) return known.result
      const entry = { began: performance.now(), result: work() }
      const forget = () => {
        if (kept.get(name) === entry) kept.delete(name)
      }
      kept.set(name, entry)
      entry.result.catch(forget)
      setTimeout(forget, ms).unref()
      return entry.result
    },
  }
}
