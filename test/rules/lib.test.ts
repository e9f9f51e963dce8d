import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { numberOf } from '../../src/lib/ids.ts'
import { instantText, isStorableTime, parseInstant } from '../../src/lib/time.ts'

describe('an instant', () => {
  it.each([
    ['2026-02-28T10:00:00Z', '2026-02-28T10:00:00.000Z'],
    ['2026-02-28t10:00:00z', '2026-02-28T10:00:00.000Z'],
    ['2026-02-28T10:00:00+05:30', '2026-02-28T04:30:00.000Z'],
    ['2026-02-28T23:30:00-02:00', '2026-03-01T01:30:00.000Z'],
    ['2026-02-28T10:00:00.123456789Z', '2026-02-28T10:00:00.123Z'],
    ['2026-02-28T10:00:00', '2026-02-28T10:00:00.000Z'],
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0099-12-31', '0099-12-31T00:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseInstant(text)?.toISOString()).toBe(instant)
  })

  it.each([
    '',
    '1',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-01T24:00:00Z',
    '2026-01-01T10:60:00Z',
    '2026-01-01T10:00:60Z',
    '2026-01-01T10:00Z',
    '2026-01-01T10:00:00+24:00',
    '2026-01-01 ',
    'Jan 1 2026 (x)',
    '２０２６-01-01',
    '0000-01-01',
    '+012026-01-01',
    '9999-12-31T23:59:59-01:00',
    '2026-01-01T10:00:00Z\n',
  ])('is not %j', (text) => {
    expect(parseInstant(text)).toBeNull()
  })

  it('that the service printed is read back', () => {
    const years = { min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true }
    fc.assert(
      fc.property(fc.date(years), (date) => parseInstant(instantText(date))?.getTime() === date.getTime()),
    )
  })

  it('is printed as `toISOString` prints it, in any year', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => instantText(date) === date.toISOString()),
    )
    expect(() => instantText(new Date(Number.NaN))).toThrow(RangeError)
  })
})

describe('the id of a numbered row', () => {
  it.each([
    ['1', 1],
    ['2147483647', 2_147_483_647],
  ])('%j is the number %d', (id, number) => {
    expect(numberOf(id)).toBe(number)
  })

  it.each([
    '',
    ' ',
    '0',
    '-1',
    '1 ',
    '+1',
    '01',
    '1.0',
    '1e3',
    '0x1',
    '2147483648',
    '-2147483648',
    '99999999999',
    '١',
    'a',
  ])('%j is none', (id) => {
    expect(numberOf(id)).toBeNull()
  })
})

it.each([
  ['0001-01-01T00:00:00.000Z', true],
  ['9999-12-31T23:59:59.999Z', true],
  ['0000-12-31T23:59:59.999Z', false],
  ['+010000-01-01T00:00:00.000Z', false],
  ['+275000-01-01T00:00:00.000Z', false],
  ['no time', false],
])('a column stores the time %s: %s', (text, is_storable) => {
  expect(isStorableTime(new Date(text))).toBe(is_storable)
})
