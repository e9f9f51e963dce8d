import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { partOf } from '../../src/tools/result-parts.ts'
import { MAX_KEPT, MAX_RESULT_BYTES, storableResult } from '../../src/tools/results.ts'

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** The whole text of a long result, read part by part. */
function readOn(text: string): string {
  let read = ''
  for (let offset: number | null = 0; offset !== null; ) {
    const part: ReturnType<typeof partOf> = partOf(text, offset)
    read += part.text
    offset = part.next_offset
  }
  return read
}

describe('a result', () => {
  it('that is short stays as it is, without secrets', () => {
    const { result, whole } = storableResult({ note: 'Bearer abcdefghijkl', password: 'x', id: 7 }, 'call')
    expect(result).toEqual({ note: '[removed]', password: '[removed]', id: 7 })
    expect(whole).toBeNull()
  })

  it('has nothing that PostgreSQL does not store', () => {
    const given = { 'a\0': ['\0', '\ud800', { deep: 'x\udfff' }], at: new Date(0), none: null }
    expect(storableResult(given, 'call').result).toEqual({
      'a\ufffd': ['\ufffd', '\ufffd', { deep: 'x\ufffd' }],
      at: '1970-01-01T00:00:00.000Z',
      none: null,
    })
  })

  it.each([
    ['letters', 'x'],
    ['quotes', '"'],
    ['line breaks', '\n'],
    ['three bytes each', '€'],
    ['pairs', '😀'],
    ['control characters', '\u0001'],
  ])('of many %s is cut, and can be read on', (_name, character) => {
    const given = { text: character.repeat(100_000) }
    const { result, whole } = storableResult(given, 'call_7')
    expect(bytes(result)).toBeLessThanOrEqual(MAX_RESULT_BYTES)
    expect(result).toMatchObject({ truncated: true, call_id: 'call_7', characters: whole?.length })
    expect(readOn(whole ?? '')).toBe(JSON.stringify(given))
  })

  it('of ten megabytes is kept to its first million of characters', () => {
    const { result, whole } = storableResult({ text: 'x'.repeat(10_000_000) }, 'call')
    expect(whole).toHaveLength(MAX_KEPT)
    expect(bytes(result)).toBeLessThanOrEqual(MAX_RESULT_BYTES)
  })

  it('is bounded and the same when it is made storable again, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
        fc.integer({ min: 1, max: 300 }),
        (given, times) => {
          const { result } = storableResult({ many: Array.from({ length: times }, () => given) }, 'call')
          expect(bytes(result)).toBeLessThanOrEqual(MAX_RESULT_BYTES)
          expect(storableResult(result, 'call').result).toEqual(result)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('has no part behind its end', () => {
    expect(partOf('abc', 7)).toEqual({ characters: 3, text: '', next_offset: null })
  })
})
