import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../../src/db/query/cursor.ts'
import { ApiError } from '../../src/errors/errors.ts'

const SECRETS = ['the first secret', 'the second secret']
const NOW = new Date('2026-11-21T12:00:00Z')
const scope = {
  tenant_id: 'a',
  environment: 'dev',
  operation: 'links',
  filters: { status: 'all', search: 'x' },
}
const cursor = encodeCursor(SECRETS, scope, ['b', 1], NOW)

function reasonOf(read: () => unknown): unknown {
  try {
    read()
  } catch (error) {
    return error instanceof ApiError && error.code === 'invalid_cursor' ? error.details?.reason : error
  }
  return 'accepted'
}

describe('a cursor', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))

  it('gives back the sort key it was made of', () => {
    fc.assert(
      fc.property(fc.array(value), fc.dictionary(fc.string(), value), (key, filters) => {
        const bound = { ...scope, filters }
        const made = encodeCursor(SECRETS, bound, key, NOW)
        expect(decodeCursor(SECRETS, bound, made, NOW)).toEqual(key)
      }),
    )
  })

  it.each([
    ['another tenant', { tenant_id: 'b' }, 'MALFORMED'],
    ['another environment', { environment: 'prod' }, 'MALFORMED'],
    ['another list', { operation: 'keys' }, 'MALFORMED'],
    ['other filters', { filters: { status: 'all', search: 'y' } }, 'FILTERS_CHANGED'],
    ['fewer filters', { filters: { status: 'all' } }, 'FILTERS_CHANGED'],
    [
      'the same filters in another order',
      { filters: { search: 'x', status: 'all', unset: undefined } },
      'accepted',
    ],
  ])('for %s: %s', (_what, other, reason) => {
    expect(reasonOf(() => decodeCursor(SECRETS, { ...scope, ...other }, cursor, NOW))).toBe(reason)
  })

  it('lives for 24 hours', () => {
    const at = (ms: number) => () => decodeCursor(SECRETS, scope, cursor, new Date(NOW.getTime() + ms))
    const day = 24 * 60 * 60 * 1000
    expect([reasonOf(at(day - 1)), reasonOf(at(day))]).toEqual(['accepted', 'EXPIRED'])
  })

  it('is verified by every secret', () => {
    expect(reasonOf(() => decodeCursor(['a new one', ...SECRETS], scope, cursor, NOW))).toBe('accepted')
    expect(reasonOf(() => decodeCursor(['a new one'], scope, cursor, NOW))).toBe('MALFORMED')
  })

  it('is refused after any change', () => {
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_'), (at, character) => {
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1)
        expect(reasonOf(() => decodeCursor(SECRETS, scope, changed, NOW))).toBe(
          changed === cursor ? 'accepted' : 'MALFORMED',
        )
      }),
    )
    fc.assert(
      fc.property(
        fc.string(),
        (text) => reasonOf(() => decodeCursor(SECRETS, scope, text, NOW)) === 'MALFORMED',
      ),
    )
  })
})
