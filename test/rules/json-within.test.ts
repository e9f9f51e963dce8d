import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonWithin } from '../../src/lib/json-within.ts'

/** Heavier than what is written in one piece. */
const heavy = (values: readonly unknown[]) => ({
  rows: Array.from({ length: 40 }, (_, index) => ({ index, text: 'ü"\n'.repeat(2000), values })),
})

describe('JSON within a number of bytes', () => {
  it('is what JSON.stringify writes, up to the byte', () => {
    const values = fc.array(
      fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.date({ noInvalidDate: true })),
    )
    fc.assert(
      fc.property(values, fc.boolean(), (some, is_heavy) => {
        const value = is_heavy ? heavy(some) : { some, left_out: undefined }
        const text = JSON.stringify(value)
        const bytes = Buffer.byteLength(text)
        expect(jsonWithin(value, bytes)).toBe(text)
        expect(jsonWithin(value, bytes - 1)).toBeNull()
      }),
      { numRuns: 40 },
    )
  })

  it('stops early: what comes after the last byte is not looked at', () => {
    let looked_at = 0
    const rows = Array.from({ length: 1000 }, () => ({
      get text() {
        looked_at++
        return 'x'.repeat(100_000)
      },
    }))
    expect(jsonWithin(rows, 1_000_000)).toBeNull()
    expect(looked_at).toBeLessThan(40)
  })
})
