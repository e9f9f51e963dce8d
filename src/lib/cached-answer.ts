/** Answers that many ask for and that are the same for all. */

/** Asks at most once in `ms`: who asks meanwhile gets the same answer. */
export function remembered<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let latest: Promise<T> | undefined
  const forget = () => {
    latest = undefined
  }
  return () => {
    latest ??= ask().finally(() => setTimeout(forget, ms).unref())
    return latest
  }
}
