import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exponent, keeps, median, noise, percentile, ratio } from './figures.ts'

test('the median is the middle, or between the two in the middle', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 3, 2]), 2.5)
  assert.equal(median([7]), 7)
  assert.ok(Number.isNaN(median([])))
})

test('a percentile is one of the numbers', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
  assert.equal(percentile(hundred, 0.5), 50)
  assert.equal(percentile(hundred, 0.99), 99)
  assert.equal(percentile([5], 0.99), 5)
})

test('ratios are taken round by round', () => {
  assert.deepEqual(ratio([2, 9, 4], [1, 3, 4]), { median: 2, min: 1, max: 3 })
})

test('noise does not cancel out', () => {
  assert.ok(noise([2, 0.5, 2], [1, 1, 1]) > 0.6)
  assert.equal(noise([1, 2], [1, 2]), 0)
})

test('the exponent is 1 if time grows as the data does', () => {
  assert.ok(Math.abs(exponent(1, 10, 10) - 1) < 1e-9)
  assert.equal(exponent(2, 2, 10), 0)
})

test('a bound has a side, and the tolerance is a part of it', () => {
  const least = { side: 'at least', value: 1 } as const
  const most = { side: 'at most', value: 2 } as const
  assert.deepEqual([keeps(least, 1), keeps(least, 0.9), keeps(least, 0.9, 0.1)], [true, false, true])
  assert.deepEqual([keeps(most, 2), keeps(most, 2.1), keeps(most, 2.1, 0.1)], [true, false, true])
  assert.equal(keeps(least, Number.NaN), false)
})
