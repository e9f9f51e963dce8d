import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { businessHoursProblems, isAcceptedZone, readOnlyProblems } from '../../src/areas/settings/rules.ts'
import { isZoneName, suggestions } from '../../src/lib/timezone.ts'

describe('a time zone', () => {
  it.each([
    'UTC',
    'Europe/London',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'America/Argentina/Buenos_Aires',
    'Etc/GMT+5',
  ])('%s is one', (name) => expect(isZoneName(name)).toBe(true))

  it.each([
    '',
    'europe/london',
    'EUROPE/LONDON',
    '+05:30',
    '-03',
    'UTC+1',
    'GMT-5',
    'localtime',
    'posix/Europe/London',
    'garbage5',
    'Mars/Olympus',
    'Europe/London ',
    'Europe//London',
  ])('%j is none', (name) => expect(isZoneName(name)).toBe(false))

  it('that is listed is one, and another letter case of it is none', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Intl.supportedValuesOf('timeZone')), (name) => {
        expect(isZoneName(name)).toBe(true)
        const other = name.toLowerCase()
        if (other !== name) expect([isZoneName(other), suggestions(other)[0]]).toEqual([false, name])
      }),
    )
  })

  it('is accepted when it is stored already, or null', () => {
    fc.assert(fc.property(fc.string(), (name) => isAcceptedZone(name, name) && isAcceptedZone(null, name)))
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

it('read-only fields are refused by name, in the schema’s order', () => {
  const fields = readOnlyProblems({ referral_code: null, timezone: 'UTC', data_residency: 'EU' })
  expect(fields.map(({ field }) => field)).toEqual(['data_residency', 'referral_code'])
})
