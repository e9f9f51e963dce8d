import '../../src/composition/extension-points.ts'
import { expect, test } from 'vitest'
import { assertProvided, extensionPoint } from '../../src/lib/extension-point.ts'

test('what a module needs is missing until it is handed in, and is named', () => {
  const one = extensionPoint<number>('one of this test')
  const two = extensionPoint<number>('two of this test')
  one.provide(1)
  expect(assertProvided).toThrow('Nothing was handed in for two of this test')
  expect(() => two.get()).toThrow('Nothing was handed in for two of this test')
  two.provide(2)
  two.provide(3)
  expect([one.get(), two.get()]).toEqual([1, 3])
  expect(assertProvided).not.toThrow()
})
