import fc from 'fast-check'
import pg from 'pg'
import { expect, test } from 'vitest'
import { parsers } from '../../src/db/column-types.ts'

const TIMESTAMPTZ = 1184
const read = (text: string) => parsers[TIMESTAMPTZ]?.(text)

test('times are read as pg reads them, of whatever form', () => {
  const forms = [
    '2026-11-21 09:09:09.123+00',
    '2026-11-21 09:09:09+00',
    '2026-11-21 09:09:09.1+00',
    '0001-01-01 00:00:00+00',
    '2026-11-21 09:09:09.12+05:30',
    '12026-11-21 09:09:09.12+00',
    '0044-03-15 12:00:00+00 BC',
    'infinity',
    '-infinity',
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
