import { describe, expect, it } from 'vitest'
import { percentage } from '../../src/lib/percentage.ts'

describe('a percentage', () => {
  it.each([
    [0, 0, 0],
    [3, 0, 0],
    [0, 7, 0],
    [7, 7, 100],
    [1, 3, 33.33],
    [2, 3, 66.67],
    [1, 100_000, 0],
    [99_999, 100_000, 100],
  ])('of %i of %i is %d', (part, whole, percent) => {
    expect(percentage(part, whole)).toBe(percent)
  })
})
