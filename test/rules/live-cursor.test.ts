import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { hasSeen, parseSnapshot } from '../../src/db/live/snapshot.ts'
import { longSnapshot, shortSnapshot } from '../../src/schema/live/live-cursor.ts'

const snapshots = fc
  .record({
    xmin: fc.nat({ max: 2 ** 40 }),
    running: fc.uniqueArray(fc.nat({ max: 500 }), { maxLength: 100 }),
  })
  .map(({ xmin, running }) => `${xmin}:${xmin + 501}:${running.map((distance) => xmin + distance).join()}`)

test('a snapshot that is shortened is the same once it is long again', () => {
  fc.assert(
    fc.property(snapshots, (text) => {
      expect(longSnapshot(shortSnapshot(text))).toBe(text)
    }),
  )
})

test('the ids of updates stay short however many transactions are under way', () => {
  const running = Array.from({ length: 100 }, (_, n) => 10 ** 12 + n * 3)
  const text = `${10 ** 12}:${10 ** 12 + 301}:${running.join()}`
  expect(shortSnapshot(text).length).toBeLessThan(500)
  const long = parseSnapshot(longSnapshot(shortSnapshot(text)) ?? '')
  expect(long && hasSeen(long, 10 ** 12 + 1)).toBe(true)
})

it.each(['', 'nothing', '1:2', '1:-2:'])('%j is no shortened snapshot', (text) => {
  expect(longSnapshot(text)).toBeNull()
})
