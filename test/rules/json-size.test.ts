/** The bounds of JSON are checked in its text, before a value is made of it, whether it comes whole or in pieces. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { parseJson, readJson } from '../../src/http/json.ts'

const outcome = (text: string): string => {
  try {
    parseJson(text, 'It')
    return 'is read'
  } catch (error) {
    return (error as Error).message
  }
}

const TOO_MANY = 'It has more than 80000 values.'
const TOO_DEEP = 'It has more than 32 levels of nesting.'

const listOf = (count: number, item: string): string => `[${Array(count).fill(item).join()}]`

it.each([
  ['80,000 numbers', listOf(80_000, '1'), 'is read'],
  ['80,001 numbers', listOf(80_001, '1'), TOO_MANY],
  ['80,000 empty lists', listOf(80_000, ' [ ] '), 'is read'],
  ['4,000,000 empty lists', listOf(4_000_000, '[]'), TOO_MANY],
  ['40,000 lists of one', listOf(40_000, '[1]'), 'is read'],
  ['40,001 lists of one', listOf(40_001, '[1]'), TOO_MANY],
  ['40,001 objects of one', listOf(40_001, '{"a":1}'), TOO_MANY],
  ['a string of brackets and commas', JSON.stringify(`"\\${'[,{'.repeat(100_000)}`), 'is read'],
  ['a string of quotes and backslashes', JSON.stringify('\\"[,\\\\'.repeat(50_000)), 'is read'],
  ['80,001 strings that end with a backslash', listOf(80_001, JSON.stringify('"\\')), TOO_MANY],
  ['32 levels', `${'['.repeat(32)}${']'.repeat(32)}`, 'is read'],
  ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`, TOO_DEEP],
  ['33 levels that do not end', '{"a":'.repeat(33), TOO_DEEP],
  ['a string that does not end', '["a', 'It is not JSON.'],
  ['closing brackets', ']]]]', 'It is not JSON.'],
  ['nothing', '', 'It is not JSON.'],
])('%s: %#', (_name, text, expected) => {
  expect(outcome(text)).toBe(expected)
})

it('nothing is made of text beyond the bounds', () => {
  const parse = vi.spyOn(JSON, 'parse')
  expect(outcome(listOf(80_001, '1'))).toBe(TOO_MANY)
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
})

it('any JSON within the bounds is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      expect(parseJson(Buffer.from(text), 'It')).toEqual(JSON.parse(text))
    }),
  )
})

describe('a body that comes in pieces', () => {
  const read = async (pieces: readonly Buffer[]): Promise<unknown> => {
    const body = async (look?: (bytes: Uint8Array) => void): Promise<Buffer> => {
      for (const piece of pieces) look?.(piece)
      return Buffer.concat(pieces)
    }
    try {
      return (await readJson({ body })).value
    } catch (error) {
      return (error as Error).message
    }
  }

  const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
    const ends = [...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
    return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
  }

  it('is read as JSON.parse reads it, wherever it is cut', async () => {
    const units = ['"', '[', '{', ',', 'ä', 'a']
    // JSON.parse may take a key with an escape for a key with a backslash that it has read before:
    // https://github.com/nodejs/node/issues/63785
    const key = fc.string({ unit: fc.constantFrom(...units) })
    const text = fc.string({ unit: fc.constantFrom('\\', ...units) })
    const values = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 5 }, text, fc.array(tie('any')), fc.dictionary(key, tie('any'))),
    })).any
    await fc.assert(
      fc.asyncProperty(values, fc.array(fc.nat(), { maxLength: 8 }), async (value, places) => {
        const pieces = cut(Buffer.from(JSON.stringify(value)), places)
        expect(await read(pieces)).toEqual(value)
      }),
    )
  })

  it('has as many values and levels as it has whole, wherever it is cut', async () => {
    const strings = fc.array(fc.string({ unit: fc.constantFrom('\\', '"', '[', ',') }), { minLength: 4 })
    await fc.assert(
      fc.asyncProperty(strings, fc.array(fc.nat(), { maxLength: 8 }), async (texts, places) => {
        const list = (count: number) =>
          JSON.stringify([texts, ...Array(count - texts.length - 1).fill('[{,"')])
        expect(await read(cut(Buffer.from(list(80_000)), places))).toHaveLength(80_000 - texts.length)
        expect(await read(cut(Buffer.from(list(80_001)), places))).toBe(
          'The body has more than 80000 values.',
        )
      }),
      { numRuns: 10 },
    )
  })

  it('that is large is read as a small one is, and refused for the same', async () => {
    const filling = `"${'ä'.repeat(100_000)}"`
    const large = (text: string) => read([Buffer.from(text.replace('~', filling))])
    const form = '{"query":"a","variables":{"input":{"rows":[{"a":[1]},~],"b":{"c":{"d":{"e":[{"f":2}]}}}}}}'
    expect(await large(form)).toEqual(JSON.parse(form.replace('~', filling)))
    expect(await large('\ufeff[~]')).toEqual([filling.slice(1, -1)])
    for (const text of ['[~', '[~]]', '[~,]', '{"a":~,}', '\ufeff\ufeff[~]'])
      expect([text, await large(text)]).toEqual([text, 'The body is not JSON.'])
    const invalid = Buffer.concat([Buffer.from('["'), Buffer.alloc(200_000, 0xff), Buffer.from('"]')])
    expect(await read([invalid])).toBe('The body is not JSON.')
  })
})
