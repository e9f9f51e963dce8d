import { describe, expect, it } from 'vitest'
import { isMarkable } from '../../src/lib/missing-rows.ts'

describe('rows that are gone', () => {
  it.each([
    [0, 0, true],
    [20, 20, true],
    [20, 99, true],
    [21, 21, false],
    [21, 100, false],
    [21, 104, false],
    [21, 105, true],
    [30, 200, true],
    [36, 136, false],
    [10_000, 49_999, false],
    [10_000, 50_000, true],
  ])('%i of %i can be marked: %s', (gone, there, expected) => {
    expect(isMarkable({ gone, there })).toBe(expected)
  })

  it('can be marked if one more of them could', () => {
    for (let there = 0; there <= 200; there++)
      for (let gone = 1; gone <= there; gone++)
        if (isMarkable({ gone, there })) expect(isMarkable({ gone: gone - 1, there })).toBe(true)
  })
})
