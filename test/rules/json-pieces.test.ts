import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInPieces, TooManyPieces } from '../../src/lib/json-pieces.ts'

const LIMITS = { max_values: 100, max_bytes: 1000, yielded: async () => {} }

const parse = (text: string, limits: Partial<typeof LIMITS> = {}): Promise<unknown> =>
  parseInPieces(Buffer.from(text), { ...LIMITS, ...limits })

describe('JSON that is parsed in pieces', () => {
  it('has the value that JSON.parse gives', async () => {
    const limits = { max_values: 100_000, max_bytes: 1_000_000 }
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), async (value, space) => {
        const text = JSON.stringify(value, null, space)
        expect(await parse(text, limits)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('is refused if JSON.parse refuses it', async () => {
    const characters = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', ' ', '1', 'true', '"a"')
    await fc.assert(
      fc.asyncProperty(fc.array(characters, { maxLength: 12 }), async (parts) => {
        const text = parts.join('')
        let wanted: unknown = null
        try {
          wanted = { value: JSON.parse(text) as unknown }
        } catch {}
        const value = await parse(text).then(
          (found) => ({ value: found }),
          () => null,
        )
        expect(value).toEqual(wanted)
      }),
      { numRuns: 2000 },
    )
  })

  it.each<[string, string, Partial<typeof LIMITS>]>([
    ['values of a list', '[1,2,3,4]', { max_values: 3 }],
    ['values of a list in an object', '{"a":[1,2,3]}', { max_values: 3 }],
    ['bytes in a text', `["${'x'.repeat(20)}"]`, { max_bytes: 20 }],
    ['bytes in an object', '[{"a":[1,2,3,4]}]', { max_bytes: 10 }],
    ['bytes in a number', '[12345678901]', { max_bytes: 10 }],
  ])('has not more %s than it may', async (_what, text, limits) => {
    await expect(parse(text, limits)).rejects.toThrow(TooManyPieces)
    await expect(parse(text)).resolves.toEqual(JSON.parse(text))
  })

  it('gives a member the name __proto__ as JSON.parse does', async () => {
    const value = (await parse('{"__proto__":{"a":1}}')) as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect('a' in value).toBe(false)
  })
})
