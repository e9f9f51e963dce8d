import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DECISIONS, expiryOf, pathOf, riskOf } from '../../src/areas/til-requests/api-approval/rules.ts'
import { TilRequestKind } from '../../src/db/generated/client/client.ts'
import { argumentsHash } from '../../src/lib/arguments-hash.ts'

const sha256 = (text: string): string => hash('sha256', text, 'hex')

/** The same value with the members of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, reversed(inner)]),
  )
}

describe('the hash of arguments', () => {
  it.each([
    [{}, '{}'],
    [null, 'null'],
    [{ b: 2, a: [1, { d: '€', c: null }] }, '{"a":[1,{"c":null,"d":"€"}],"b":2}'],
    [{ number: 1e21, small: 1e-7, whole: 4.0 }, '{"number":1e+21,"small":1e-7,"whole":4}'],
    [{ text: '\u0008\u001f"\\/ü' }, '{"text":"\\b\\u001f\\"\\\\/ü"}'],
    // RFC 8785 sorts by UTF-16 code units: a surrogate pair comes before U+FB33.
    [{ '\ufb33': 1, '\ud83d\ude00': 2, ö: 3 }, '{"ö":3,"\ud83d\ude00":2,"\ufb33":1}'],
  ])('of %j is that of its canonical JSON', (args, canonical) => {
    expect(argumentsHash(args)).toBe(sha256(canonical))
  })

  it('is the same for the same value, however it is written, and another one for another value', () => {
    const value = fc.jsonValue({ maxDepth: 4 }).map((sent) => JSON.parse(JSON.stringify(sent)) as unknown)
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(argumentsHash(reversed(one))).toBe(argumentsHash(one))
        const isSame = JSON.stringify(reversed(one)) === JSON.stringify(reversed(other))
        if (!isSame && argumentsHash(one) === argumentsHash(other)) expect(one).toEqual(other)
      }),
    )
  })
})

describe('a request', () => {
  it('for a call of the API expires after 72 hours', () => {
    expect(expiryOf(new Date('2026-10-24T12:00:00Z'))).toEqual(new Date('2026-10-27T12:00:00Z'))
  })

  it('takes the decisions of its kind', () => {
    expect(Object.keys(DECISIONS).sort()).toEqual(Object.keys(TilRequestKind).sort())
    for (const [kind, decisions] of Object.entries(DECISIONS)) {
      expect((decisions as readonly string[]).includes('ANSWER'), kind).toBe(kind === 'QUESTION')
      expect((decisions as readonly string[]).includes('REJECT'), kind).toBe(kind !== 'QUESTION')
      expect((decisions as readonly string[]).includes('EDIT'), kind).toBe(kind === 'WRITE')
    }
  })

  it.each([
    ['DELETE', 'DESTRUCTIVE'],
    ['PUT', 'CHANGE'],
    ['POST', 'CHANGE'],
    ['PATCH', 'CHANGE'],
  ])('for a %s is a risk of %s', (method, risk) => {
    expect(riskOf(method)).toBe(risk)
  })

  it('names the path of its call with the values of the parameters', () => {
    const path = pathOf('/a/{a_id}/b/{b_id}', { a_id: 'x/y z', b_id: 7, input: {} })
    expect(path).toBe('/a/x%2Fy%20z/b/7')
  })
})
