import fc from 'fast-check'
import { expect, test } from 'vitest'
import { usedPct } from '../../src/areas/documentation/rules.ts'

const quota = (used_bytes: number, limit_bytes: number, used_files: number, limit_files: number) => ({
  used_bytes,
  limit_bytes,
  used_files,
  limit_files,
})

test.each([
  [quota(0, 100, 0, 10), 0],
  [quota(50, 100, 1, 10), 50],
  [quota(1, 100, 9, 10), 90],
  [quota(1, 3, 0, 10), 33.33],
  [quota(150, 100, 0, 10), 150],
  [quota(0, 0, 0, 0), 0],
  [quota(1, 0, 0, 10), 100],
])('of %j are %d percent used', (given, percent) => {
  expect(usedPct(given)).toBe(percent)
})

test('the percentage is that of the nearer limit, and finite', () => {
  const count = fc.nat(2 ** 31 - 1)
  fc.assert(
    fc.property(count, count, count, count, (...given) => {
      const whole = usedPct(quota(...given))
      const [used_bytes, limit_bytes, used_files, limit_files] = given
      expect(Number.isFinite(whole)).toBe(true)
      expect(whole).toBe(
        Math.max(
          usedPct(quota(used_bytes, limit_bytes, 0, 1)),
          usedPct(quota(0, 1, used_files, limit_files)),
        ),
      )
    }),
  )
})
