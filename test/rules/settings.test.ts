import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { businessHoursProblems } from '../../src/areas/settings/rules.ts'
import { isAcceptedZone, isZoneName, suggestions } from '../../src/lib/timezone.ts'

const { zones } = createRequire(import.meta.url)('tzdata') as { zones: Record<string, unknown> }
const DATABASE = Object.keys(zones)

describe('a time zone', () => {
  it.each([
    'UTC',
    'Europe/London',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'America/Argentina/Buenos_Aires',
    'Etc/GMT+5',
    'US/Eastern',
    'GB',
    'GMT+0',
    'EST5EDT',
    'America/Coyhaique',
  ])('%s is one', (name) => expect(isZoneName(name)).toBe(true))

  it.each([
    '',
    'europe/london',
    'EUROPE/LONDON',
    '+05:30',
    '-03',
    'UTC+1',
    'GMT-5',
    '+00:00',
    'us/eastern',
    'gb',
    'asia/calcutta',
    'localtime',
    'Factory',
    'SystemV/EST5',
    'posix/Europe/London',
    'garbage5',
    'Mars/Olympus',
    'Europe/London ',
    'Europe//London',
  ])('%j is none', (name) => expect(isZoneName(name)).toBe(false))

  it('that Intl lists is one', () => {
    expect(Intl.supportedValuesOf('timeZone').filter((name) => !isZoneName(name))).toEqual([])
  })

  it('is any name of the IANA database that Intl loads, aliases included', () => {
    expect(DATABASE.filter((name) => !isZoneName(name))).toEqual(['Factory'])
    expect(DATABASE.length).toBeGreaterThan(590)
  })

  it('in another letter case is none, and is suggested in its own', () => {
    fc.assert(
      fc.property(fc.constantFrom(...DATABASE), fc.func(fc.boolean()), (name, isUpper) => {
        fc.pre(name !== 'Factory')
        const other = [...name]
          .map((letter, index) => (isUpper(index) ? letter.toUpperCase() : letter.toLowerCase()))
          .join('')
        if (other !== name) expect([isZoneName(other), suggestions(other)[0]]).toEqual([false, name])
      }),
    )
  })

  it.each([
    ['Europe/Lodnon', 'Europe/London'],
    ['Europe/Londn', 'Europe/London'],
    ['Europe/London ', 'Europe/London'],
    ['us/eastern', 'US/Eastern'],
    ['gb', 'GB'],
    ['London', 'Europe/London'],
    ['America/New York', 'America/New_York'],
    ['US/New_York', 'America/New_York'],
    ['asia/calcuta', 'Asia/Calcutta'],
    ['Asia/Kolkatta', 'Asia/Kolkata'],
  ])('may have been meant by %j: %s', (name, meant) => {
    expect(suggestions(name)[0]).toBe(meant)
  })

  it('that Intl loads is all that is suggested, five at most', () => {
    const near = fc.tuple(fc.constantFrom(...DATABASE), fc.string({ maxLength: 3 }), fc.nat(40))
    fc.assert(
      fc.property(near, ([name, text, at]) => {
        const suggested = suggestions(name.slice(0, at) + text + name.slice(at + 1))
        expect(suggested.length).toBeLessThanOrEqual(5)
        expect(suggested.filter((zone) => !isZoneName(zone))).toEqual([])
      }),
    )
  })

  it.each(['', 'x', 'garbage5', '+05:30', 'A'.repeat(64), '-'.repeat(64), '日本'])(
    'is not meant by %j',
    (name) => expect(suggestions(name)).toEqual([]),
  )

  it.each(['A', 'A-', '-', 'A/', 'Europe/', 'ab-_+/', '\ud83d\ude00'])(
    'is told from any repetition of %j at once',
    (part) => {
      const started = performance.now()
      for (const length of [64, 65, 100_000]) {
        const name = `${`A${part.repeat(length)}`.slice(0, length - 1)}!`
        expect(isZoneName(name)).toBe(false)
        suggestions(name.slice(0, 64))
      }
      // A regular expression that looks back at every repetition takes minutes.
      expect(performance.now() - started).toBeLessThan(8000)
    },
  )

  it('is accepted when it is stored already', () => {
    fc.assert(fc.property(fc.string(), (name) => isAcceptedZone(name, name)))
  })
})

describe('business hours', () => {
  const hour = fc.integer({ min: 0, max: 24 })
  const hours = fc.record({ start_business_hours: hour, end_business_hours: hour })

  it('are in order after the patch exactly when nothing is wrong with it', () => {
    fc.assert(
      fc.property(
        hours,
        fc.record({ start_business_hours: hour, end_business_hours: hour }, { requiredKeys: [] }),
        (stored, patch) => {
          const merged = { ...stored, ...patch }
          const isRight = merged.start_business_hours < merged.end_business_hours
          const touched = Object.keys(patch)
          const named = businessHoursProblems(stored, patch).map(({ field }) => field)
          expect(named).toEqual(
            isRight ? [] : ['start_business_hours', 'end_business_hours'].filter((f) => touched.includes(f)),
          )
        },
      ),
    )
  })
})
