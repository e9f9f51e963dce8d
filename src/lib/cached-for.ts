/** Caches the result of `load` for `ms`. Concurrent callers share one load. */
export function cachedFor<T>(ms: number, load: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | undefined
  const forget = () => {
    latest = undefined
  }
  return () => {
    latest ??= load().finally(() => setTimeout(forget, ms).unref())
    return latest
  }
}
