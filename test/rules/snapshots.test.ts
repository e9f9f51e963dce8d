import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { hasSeen, isLater, parseSnapshot, type Snapshot, snapshotUpTo } from '../../src/db/live/snapshot.ts'

const parsed = (text: string): Snapshot => {
  const snapshot = parseSnapshot(text)
  if (!snapshot) throw new Error(`${text} is no snapshot`)
  return snapshot
}

/** Transactions that begin and end in some order, and the snapshot after each step. */
const histories = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 40 }).map((steps) => {
  const running: number[] = []
  const ended = new Set<number>()
  let next = 100
  return steps.map((step) => {
    if (step % 3 === 0 || running.length === 0) running.push(next++)
    else ended.add(running.splice(step % running.length, 1)[0] as number)
    const text = `${Math.min(...running, next)}:${next}:${running.join()}`
    return { text, ended: new Set(ended), next }
  })
})

describe('a snapshot', () => {
  it.each([
    ['10:20:10,14', 9, true],
    ['10:20:10,14', 10, false],
    ['10:20:10,14', 11, true],
    ['10:20:10,14', 14, false],
    ['10:20:10,14', 20, false],
    ['10:10:', 9, true],
    ['10:10:', 10, false],
  ])('%s has seen the transaction %i: %s', (text, transaction_id, seen) => {
    expect(hasSeen(parsed(text), transaction_id)).toBe(seen)
  })

  it.each(['', '1:2', '1:2:3:4', 'a:b:c', '1:2:3,', '-1:2:', '1:2:,', `1:${'9'.repeat(17)}:`])(
    '%j is none',
    (text) => {
      expect(parseSnapshot(text)).toBeNull()
    },
  )

  test('has seen the transactions that have ended, and no other', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const { text, ended, next } of history) {
          const snapshot = parsed(text)
          for (let id = 100; id < next + 3; id++) expect(hasSeen(snapshot, id)).toBe(ended.has(id))
        }
      }),
    )
  })

  test('up to a transaction has seen the same before it, and nothing from it on', () => {
    fc.assert(
      fc.property(histories, fc.nat({ max: 60 }), (history, n) => {
        for (const { text, next } of history) {
          const end = 95 + n
          const cut = parsed(snapshotUpTo(text, end))
          for (let id = 90; id < next + 3; id++)
            expect(hasSeen(cut, id)).toBe(id < end && hasSeen(parsed(text), id))
        }
      }),
    )
    expect(snapshotUpTo('10:20:10,14', 0)).toBe('3:3:')
  })

  test('is later than another if and only if it has seen more, or more has begun', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const [n, one] of history.entries()) {
          for (const other of history.slice(0, n))
            expect(isLater(parsed(other.text), parsed(one.text))).toBe(false)
          const before = history[n - 1]
          if (before && before.text !== one.text)
            expect(isLater(parsed(one.text), parsed(before.text))).toBe(true)
        }
      }),
    )
  })
})
