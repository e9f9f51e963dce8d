import fc from 'fast-check'
import pg from 'pg'
import { expect, test } from 'vitest'
import { convertRow, parsers } from '../../src/db/column-types.ts'

const TIMESTAMPTZ = 1184
const TIMESTAMPTZ_ARRAY = 1185
const DATE = 1082
const read = (text: string, type = TIMESTAMPTZ) => parsers[type]?.(text)

test('times are read as pg reads them, of whatever form', () => {
  const forms = [
    '2026-11-21 09:09:09.123+00',
    '2026-11-21 09:09:09+00',
    '2026-11-21 09:09:09.1+00',
    '0001-01-01 00:00:00+00',
    '2026-11-21 09:09:09.12+05:30',
    '12026-11-21 09:09:09.12+00',
    '0044-03-15 12:00:00+00 BC',
    '1883-01-01 00:00:00.5-05:17:32',
  ]
  const builtIn = pg.types.getTypeParser(TIMESTAMPTZ, 'text')
  for (const text of forms) expect(read(text), text).toEqual(builtIn(text))
})

test('every instant is read as it was', () => {
  const instants = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(instants, (at) => {
      const text = at
        .toISOString()
        .replace('T', ' ')
        .replace(/\.?0*Z$/, '+00')
      expect(read(text)).toEqual(at)
    }),
  )
})

test('dates are midnight in UTC', () => {
  expect(read('2026-01-31', DATE)).toEqual(new Date('2026-01-31T00:00:00Z'))
  expect(read('12026-01-31', DATE)).toEqual(new Date('+012026-01-31T00:00:00Z'))
  expect(read('0044-03-15 BC', DATE)).toEqual(new Date('-000043-03-15T00:00:00Z'))
})

test.each([
  ['infinity', TIMESTAMPTZ],
  ['-infinity', TIMESTAMPTZ],
  ['21.11.2026 09:09:09.123 UTC', TIMESTAMPTZ],
  ['21/11/2026 09:09:09.123 UTC', TIMESTAMPTZ],
  // A zone whose abbreviation is +00.
  ['11/21/2026 09:09:09.123 +00', TIMESTAMPTZ],
  ['Sat 21 Nov 09:09:09.123 2026 UTC', TIMESTAMPTZ],
  ['2026-11-21 0x:09:09+00', TIMESTAMPTZ],
  ['2026-11-21 09:09:09x12+00', TIMESTAMPTZ],
  ['2026-11-21 09:09:09.1x+00', TIMESTAMPTZ],
  ['2026-11-21 09:09:09', TIMESTAMPTZ],
  // PostgreSQL goes on longer than Date.
  ['294276-12-31 23:59:59+00', TIMESTAMPTZ],
  ['', TIMESTAMPTZ],
  ['infinity', DATE],
  ['31.01.2026', DATE],
  ['01/31/2026', DATE],
  ['01-31-2026', DATE],
  ['{"2026-11-21 09:09:09+00",infinity}', TIMESTAMPTZ_ARRAY],
])('%j of the type %i is an error', (text, type) => {
  expect(() => read(text, type)).toThrow(/^The database sent a time that cannot be read: /)
})

test('a list of times has nulls', () => {
  expect(read('{"2026-11-21 09:09:09+00",NULL}', TIMESTAMPTZ_ARRAY)).toEqual([
    new Date('2026-11-21T09:09:09Z'),
    null,
  ])
})

test('a row of Prisma with a time that is none is an error', () => {
  const row = { name: 'x', nested: [{ at: new Date('2026-01-31') }] }
  expect(convertRow(row)).toEqual(row)
  expect(() => convertRow({ nested: [{ at: new Date('infinity') }] })).toThrow(
    'The database sent a time that cannot be read: Invalid Date',
  )
})
