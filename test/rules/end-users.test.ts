import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { TICKET_READS } from '../../src/access/credentials/end-user-calls.ts'
import { decisionByLog } from '../../src/access/limits/call-log.ts'
import { CLOSED_WINDOW_DAYS, MAX_LISTED, ticketLists } from '../../src/areas/end-users/rules.ts'

const NOW = new Date('2026-11-21T12:00:00.000Z')
const DAY_MS = 86_400_000
const ago = (ms: number): Date => new Date(NOW.getTime() - ms)

const ticket = (ticket_id: string, updated_ago: number, closed_ago: number | null = null) => ({
  ticket_id,
  updated_at: ago(updated_ago),
  closed_at: closed_ago === null ? null : ago(closed_ago),
})

const idsOf = (tickets: readonly { ticket_id: string }[]) => tickets.map(({ ticket_id }) => ticket_id)

describe('the lists of tickets', () => {
  it('have the open ones by their update and the closed ones by their end, the latest first', () => {
    const { state, open, recently_closed } = ticketLists(
      [ticket('1', 30), ticket('2', 10), ticket('3', 20)],
      [ticket('4', 1, 50), ticket('5', 2, 40)],
      NOW,
    )
    expect([state, idsOf(open), idsOf(recently_closed)]).toEqual(['OK', ['2', '3', '1'], ['5', '4']])
  })

  test.each([
    [CLOSED_WINDOW_DAYS * DAY_MS - 1, true],
    [CLOSED_WINDOW_DAYS * DAY_MS, false],
    [0, true],
  ])('have a ticket that was closed %d ms ago: %s', (closed_ago, there) => {
    const { recently_closed } = ticketLists([], [ticket('1', 0, closed_ago)], NOW)
    expect(recently_closed).toHaveLength(there ? 1 : 0)
  })

  it('have a ticket that changed between the two reads once', () => {
    const opened_again = ticketLists([ticket('1', 0)], [ticket('1', 0, 5)], NOW)
    expect([idsOf(opened_again.open), idsOf(opened_again.recently_closed)]).toEqual([['1'], []])
    const closed = ticketLists([ticket('1', 0, 5)], [ticket('1', 0, 5)], NOW)
    expect([idsOf(closed.open), idsOf(closed.recently_closed)]).toEqual([[], ['1']])
  })

  it('have at most 200 each, in order, each ticket once, whatever the PSA answers', () => {
    const tickets = fc.array(
      fc.record({
        ticket_id: fc.integer({ min: 0, max: 500 }).map(String),
        updated_at: fc.integer({ min: -DAY_MS, max: 40 * DAY_MS }).map(ago),
        closed_at: fc.option(fc.integer({ min: -DAY_MS, max: 40 * DAY_MS }).map(ago)),
      }),
      { maxLength: 260, size: 'max' },
    )
    const distinct = (all: { ticket_id: string }[]) => new Set(idsOf(all)).size === all.length
    fc.assert(
      fc.property(tickets.filter(distinct), tickets.filter(distinct), (one, other) => {
        const { open, recently_closed } = ticketLists(one, other, NOW)
        for (const list of [open, recently_closed]) expect(list.length).toBeLessThanOrEqual(MAX_LISTED)
        expect(open.every(({ closed_at }) => closed_at === null)).toBe(true)
        const ends = recently_closed.map(({ closed_at }) => Number(closed_at))
        expect(ends).toEqual(ends.toSorted((a, b) => b - a))
        expect(Math.min(...ends, NOW.getTime())).toBeGreaterThan(Number(ago(30 * DAY_MS)))
        const updates = open.map(({ updated_at }) => Number(updated_at))
        expect(updates).toEqual(updates.toSorted((a, b) => b - a))
        const listed = idsOf([...open, ...recently_closed])
        expect(new Set(listed).size).toBe(listed.length)
      }),
      { numRuns: 50 },
    )
  })
})

describe('the decision on a read of tickets', () => {
  const log = (allowed: boolean, count: number, oldest_ago: number, newest_ago = 0) =>
    decisionByLog(TICKET_READS, { allowed, count, oldest: ago(oldest_ago), newest: ago(newest_ago) }, NOW)

  it('tells what is left, and when everything is there again', () => {
    expect(log(true, 1, 0)).toMatchObject({ allowed: true, remaining: 29, reset_seconds: 60 })
    expect(log(true, 30, 59_000)).toMatchObject({ allowed: true, remaining: 0, retry_after_seconds: 0 })
  })

  it('of the thirty-first in a minute is a refusal until the oldest leaves the window', () => {
    expect(log(false, 30, 59_000, 10_000)).toMatchObject({
      allowed: false,
      exhausted: 'quota',
      remaining: 0,
      retry_after_seconds: 1,
      reset_seconds: 50,
    })
    expect(log(false, 30, 18_500).retry_after_seconds).toBe(42)
  })

  it('never asks to wait for nothing, or for longer than the window', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59_999 }), (oldest_ago) => {
        const { retry_after_seconds } = log(false, TICKET_READS.quota, oldest_ago)
        expect(retry_after_seconds).toBeGreaterThanOrEqual(1)
        expect(retry_after_seconds).toBeLessThanOrEqual(60)
        expect(retry_after_seconds * 1000 + oldest_ago).toBeGreaterThanOrEqual(60_000)
      }),
    )
  })
})
