import { describe, expect, it } from 'vitest'
import {
  advanced,
  type Cursor,
  cursorFrom,
  roomOf,
  untold,
  withinRoom,
} from '../../src/areas/callbacks/rules/polling.ts'

const NOW = new Date('2026-11-26T10:30:00Z')
const HOUR = Math.floor(NOW.getTime() / 3_600_000)
const at = (seconds: number): Date => new Date(NOW.getTime() + 1000 * seconds)
const change = (entity_id: string, seconds: number) => ({ entity_id, changed_at: at(seconds) })
const from = (seconds: number, rest: Partial<Cursor> = {}): Cursor => ({
  since: at(seconds).getTime(),
  told: {},
  ...rest,
})

describe('the position of a poll', () => {
  it.each([
    ['moves to the last change', from(-600), [change('a', -300), change('b', -200)], -200],
    ['stays without a change', from(-600), [], -600],
    ['does not go back', from(-100), [change('a', -200)], -100],
    ['does not pass now', from(-600), [change('a', 3600)], 0],
    ['comes back to now', from(300), [change('a', -10)], 0],
  ])('%s', (_name, cursor, changes, seconds) => {
    expect(advanced(cursor, changes, NOW).since).toBe(at(seconds).getTime())
  })
})

describe('a change', () => {
  it.each([
    ['is told once', -30, true],
    ['may come again within the same second', -5, false],
    ['may come again at a clock that is a little ahead', 5, false],
    ['whose time is yet to come is told once', 3600, true],
  ])('%s', (_name, seconds, is_told) => {
    const changes = [change('a', seconds)]
    const cursor = advanced(from(-60), changes, NOW)
    expect(untold(cursor, changes)).toEqual(is_told ? [] : changes)
    expect(untold(cursor, [change('a', seconds + 1)])).toHaveLength(1)
  })

  it('whose time has come is forgotten', () => {
    const cursor = advanced(from(-60), [change('a', 3600)], NOW)
    expect(advanced(cursor, [change('b', 3730)], at(4000)).told).toEqual({ b: at(3730).getTime() })
  })

  it('is forgotten for the latest 10,000', () => {
    const changes = Array.from({ length: 10_001 }, (_, n) => change(`t${n}`, 3600))
    const { told } = advanced(from(-60), changes, NOW)
    expect([Object.keys(told).length, told.t0, told.t10000]).toEqual([10_000, undefined, at(3600).getTime()])
  })
})

describe('the changes of an hour', () => {
  it.each([
    ['are all free at first', from(0), 10],
    ['are those that were told', from(0, { counted: { hour: HOUR, changes: 3 } }), 7],
    ['are none below a bound that was lowered', from(0, { counted: { hour: HOUR, changes: 30 } }), 0],
    ['are not those of another hour', from(0, { counted: { hour: HOUR - 1, changes: 9 } }), 10],
  ])('%s', (_name, cursor, room) => {
    expect(roomOf(cursor, 10, NOW)).toBe(room)
  })

  it('are counted once they are told, and kept when the PSA is connected again', () => {
    const told = { a: at(-60).getTime() }
    const first = advanced(from(-60, { told }), [change('a', -60), change('b', -50)], NOW)
    expect(first.counted).toEqual({ hour: HOUR, changes: 1 })
    const second = advanced(first, [change('c', -40), change('d', -30)], NOW)
    expect(second.counted).toEqual({ hour: HOUR, changes: 3 })
    expect(cursorFrom(second, at(0)).counted).toEqual(second.counted)
    expect(advanced(second, [change('e', 3600)], at(3600)).counted).toEqual({ hour: HOUR + 1, changes: 1 })
  })

  it.each([
    [0, []],
    [1, ['a', 'told']],
    [2, ['a', 'told', 'b']],
    [3, ['a', 'told', 'b', 'c']],
    [9, ['a', 'told', 'b', 'c']],
  ])('are at most %i of a page', (room, ids) => {
    const cursor = from(-60, { told: { told: at(-50).getTime() } })
    const page = [change('a', -55), change('told', -50), change('b', -40), change('c', -30)]
    expect(withinRoom(cursor, page, room).map(({ entity_id }) => entity_id)).toEqual(ids)
  })
})
