import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CLOCK,
  CLOCK_OR_MIDNIGHT,
  DAYS,
  dayOf,
  type GivenWindow,
  validateWindows,
  type Window,
} from '../../src/areas/technicians/schedules/windows.ts'

const day = fc.constantFrom(...DAYS)
const spelt = (name: string) =>
  fc
    .record({ short: fc.boolean(), upper: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }) })
    .map(({ short, upper }) =>
      [...(short ? name.slice(0, 3) : name)]
        .map((letter, index) => (upper[index] ? letter.toUpperCase() : letter.toLowerCase()))
        .join(''),
    )

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

/** Windows that do not overlap, in any order. */
const weeks: fc.Arbitrary<Window[]> = fc
  .uniqueArray(fc.record({ day, slot: fc.integer({ min: 0, max: 5 }) }), {
    maxLength: 20,
    selector: ({ day: one, slot }) => `${one} ${slot}`,
  })
  .chain((slots) =>
    fc.tuple(
      ...slots.map(({ day: name, slot }) =>
        fc.record({
          day: fc.constant(name),
          start_time: fc.integer({ min: slot * 240, max: slot * 240 + 100 }).map(clock),
          end_time: fc.integer({ min: slot * 240 + 101, max: slot * 240 + 240 }).map(clock),
        }),
      ),
    ),
  )

const accepted = (given: readonly GivenWindow[]): Window[] => {
  const judged = validateWindows(given)
  if ('problems' in judged) throw new Error(judged.problems.map(({ message }) => message).join())
  return judged.windows
}

const refused = (given: readonly GivenWindow[]) => {
  const judged = validateWindows(given)
  if (!('problems' in judged)) return null
  return [judged.code, ...judged.problems.map(({ field, code }) => `${field} ${code}`)]
}

describe('windows', () => {
  it.each([
    ['MONDAY', 'MONDAY'],
    ['mon', 'MONDAY'],
    ['Mon', 'MONDAY'],
    ['sUnDaY', 'SUNDAY'],
    ['tue', 'TUESDAY'],
    ['tues', null],
    ['Montag', null],
    ['', null],
  ])('name the day %s: %s', (name, expected) => expect(dayOf(name)).toBe(expected))

  it('have canonical days and times, by day and then by start, however they are spelt', () => {
    const written = weeks.chain((windows) =>
      fc.record({
        windows: fc.constant(windows),
        names: fc.tuple(...windows.map((window) => spelt(window.day))),
        cut: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(written, ({ windows, names, cut }) => {
        const given = windows.map((window, index) => ({
          day: names[index] ?? '',
          start_time: cut ? window.start_time.replace(/^0/, '') : window.start_time,
          end_time: window.end_time,
        }))
        const place = (window: Window) => `${DAYS.indexOf(window.day)} ${window.start_time}`
        const sorted = [...windows].sort((one, other) => (place(one) < place(other) ? -1 : 1))
        expect(accepted(given)).toEqual(sorted)
        expect(accepted(sorted)).toEqual(sorted)
      }),
    )
  })

  it.each([
    ['mon', '9:00', '9:00', 'windows.0.end_time order'],
    ['mon', '22:00', '06:00', 'windows.0.end_time order'],
    ['mon', '00:00', '00:00', 'windows.0.end_time order'],
    ['someday', '09:00', '17:00', 'windows.0.day enum'],
  ])('from %s %s to %s are refused: %s', (name, start_time, end_time, problem) => {
    expect(refused([{ day: name, start_time, end_time }])).toEqual(['request_validation_failed', problem])
  })

  it('overlap by the places of both', () => {
    const window = (start_time: string, end_time: string, name = 'fri') => ({
      day: name,
      start_time,
      end_time,
    })
    expect(refused([window('09:00', '12:00'), window('12:00', '24:00'), window('0:00', '9:00')])).toBeNull()
    expect(refused([window('09:00', '12:00'), window('09:00', '12:00', 'sat')])).toBeNull()
    const judged = validateWindows([
      window('13:00', '14:00'),
      window('9:00', '11:00'),
      window('10:59', '12:00'),
    ])
    expect(judged).toMatchObject({
      code: 'schedule_windows_overlap',
      problems: [{ field: 'windows.2', message: 'overlaps windows.1, FRIDAY 09:00 to 11:00' }],
    })
  })

  it('overlap if and only if some minute is in two of them', () => {
    const any = fc.array(
      fc
        .record({ day, from: fc.integer({ min: 0, max: 1439 }), minutes: fc.integer({ min: 1, max: 600 }) })
        .map(({ day: name, from, minutes }) => ({ name, from, to: Math.min(from + minutes, 1440) })),
      { maxLength: 5 },
    )
    fc.assert(
      fc.property(any, (drawn) => {
        const minutes = drawn.flatMap(({ name, from, to }) =>
          Array.from({ length: to - from }, (_, index) => `${name} ${from + index}`),
        )
        const given = drawn.map(({ name, from, to }) => ({
          day: name,
          start_time: clock(from),
          end_time: clock(to),
        }))
        const overlaps = new Set(minutes).size < minutes.length
        expect(refused(given)?.[0] ?? null).toBe(overlaps ? 'schedule_windows_overlap' : null)
      }),
    )
  })

  it.each(['9:00', '09:00', '0:00', '23:59', '19:30'])('have times such as %s', (time) => {
    expect([CLOCK.test(time), CLOCK_OR_MIDNIGHT.test(time)]).toEqual([true, true])
  })
  it.each(['24:01', '25:00', '9', '9:5', '09:60', '9am', '', '-1:00', '09:00:00', '٠٩:٠٠'])(
    'have no times such as %j',
    (time) => expect([CLOCK.test(time), CLOCK_OR_MIDNIGHT.test(time)]).toEqual([false, false]),
  )
  it('end at 24:00 and start before it', () => {
    expect([CLOCK.test('24:00'), CLOCK_OR_MIDNIGHT.test('24:00')]).toEqual([false, true])
  })
})
