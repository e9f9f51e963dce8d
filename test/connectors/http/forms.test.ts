import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { READ_BOUNDS, withinBounds } from '../../../src/connectors/http/call.ts'
import {
  amount,
  choiceId,
  count,
  fitting,
  flag,
  rowsFitting,
  text,
} from '../../../src/connectors/http/forms.ts'
import { timeAt, timeOf, timeOfEvent } from '../../../src/connectors/times.ts'

const ROW = z.object({ id: count, name: text, inner: z.object({ is_on: flag }).optional() })

describe('an answer', () => {
  it('has the fields of its form alone, and null is as absent', () => {
    expect(fitting('HALO_PSA', '/Client', ROW, { id: 1, name: null, more: 'x' })).toEqual({ id: 1 })
  })

  it.each<[string, unknown, string]>([
    ['a field of another kind', { id: 'secret' }, '/Client id: invalid_type'],
    [
      'a field of another kind in an object',
      { id: 1, inner: { is_on: 'secret' } },
      '/Client inner.is_on: invalid_type',
    ],
    ['an id that is too large', { id: 2 ** 31 }, '/Client id: too_big'],
    ['no object', 'secret', '/Client : invalid_type'],
  ])('in another form is refused by its place, and nothing of it is told: %s', (_what, answer, place) => {
    expect(() => fitting('HALO_PSA', '/Client', ROW, answer)).toThrow(
      expect.objectContaining({
        kind: 'UNKNOWN_FORM',
        message: `HALO_PSA answered in a form that we do not know (${place})`,
      }),
    )
  })

  it('without a list is refused if rows are wanted, and its rows count for the call', async () => {
    const rows = (answer: unknown) => rowsFitting('HALO_PSA', '/Client', ROW, answer)
    await expect(rows({ id: 1 })).rejects.toMatchObject({ kind: 'UNKNOWN_FORM' })
    const two = [{ id: 1 }, { id: 2 }]
    const within = (most: number) => withinBounds({ ...READ_BOUNDS, rows: most }, () => rows(two))
    expect(await within(2)).toEqual(two)
    await expect(within(1)).rejects.toMatchObject({ kind: 'TOO_MUCH' })
  })

  it.each([
    ['an id', count, [0, 2 ** 31 - 1], [-1, 0.5, 2 ** 31, '1', null]],
    ['a choice', choiceId, [0, 500_000_000], [500_000_001, -1]],
    ['an amount', amount, [-1.5, 1e15], [1e16, Number.POSITIVE_INFINITY, Number.NaN, '1']],
  ])('has bounds of %s', (_what, form, good, bad) => {
    for (const value of good) expect(form.safeParse(value).data).toBe(value)
    for (const value of bad) expect(form.safeParse(value).success).toBe(false)
  })
})

it('a time is one that a database keeps, and in UTC if it has no zone', () => {
  const at = new Date('2026-11-26T01:02:03Z')
  for (const written of ['2026-11-26T01:02:03Z', '2026-11-26T01:02:03', '2026-11-26T03:02:03+02:00'])
    expect([timeOf(written), timeOfEvent(written)]).toEqual([at, at])
  for (const none of ['x', '', null, undefined])
    expect([timeOf(none), timeOfEvent(none)]).toEqual([null, null])
  const late = '+275000-01-01T00:00:00Z'
  expect([timeOf(late), timeOfEvent(late)?.getUTCFullYear()]).toEqual([null, 275_000])
  expect([timeOf('1969-12-31T23:59:59Z'), timeAt(-1), timeAt(0)]).toEqual([null, null, new Date(0)])
})
