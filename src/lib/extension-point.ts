/**
 * Extension points: what a module needs of those above it, which it does not import. The composition hands it in before
 * the service starts.
 */

const missing = new Set<string>()

export interface ExtensionPoint<Given> {
  /** Hands in what the module needs. */
  provide(given: Given): void
  /** Returns what was handed in; throws if nothing was. */
  get(): Given
}

/** Declares what a module needs, in words that name it if it is missing. */
export function extensionPoint<Given>(name: string): ExtensionPoint<Given> {
  let provided: { given: Given } | null = null
  missing.add(name)
  return {
    provide(given) {
      provided = { given }
      missing.delete(name)
    },
    get() {
      if (!provided) throw new Error(`Nothing was handed in for ${name}`)
      return provided.given
    },
  }
}

/** Throws if something that was declared has not been handed in. */
export function assertProvided(): void {
  if (missing.size > 0) throw new Error(`Nothing was handed in for ${[...missing].sort().join(', ')}`)
}
