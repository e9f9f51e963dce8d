/** The same tests of GraphQL with its document cache and without. */
import { afterAll, beforeAll, describe } from 'vitest'
import { useDocumentCache } from './app.ts'

/** Tests call `testApp` while they run: while they are collected, it always has the cache. */
export function describeWithAndWithoutCache(subject: string, tests: () => void): void {
  describe.each([
    ['with', true],
    ['without', false],
  ] as const)(`${subject}, %s the document cache,`, (_name, document_cache) => {
    beforeAll(() => useDocumentCache(document_cache))
    afterAll(() => useDocumentCache(true))
    tests()
  })
}
