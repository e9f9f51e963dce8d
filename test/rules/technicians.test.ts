import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  availabilityAt,
  businessHours,
  deletion,
  edited,
  instantProblems,
  isReady,
  type Patch,
  type Profile,
  patched,
  restoration,
  scheduledHours,
  unknownTechnicians,
} from '../../src/areas/technicians/rules.ts'
import { DAYS, type Window } from '../../src/areas/technicians/schedules/windows.ts'

const NOW = new Date('2026-11-20T09:30:00Z')

const technician: Profile = {
  name: 'Ada',
  profile: 'First line.',
  profile_status: 'READY',
  custom_instructions: null,
  is_ready: true,
  update_automatically: true,
  skills: ['VPN'],
  deleted_at: null,
}

const statuses = fc.constantFrom('PENDING', 'GENERATING', 'READY', 'STALE', 'FAILED' as const)
const texts = fc.option(fc.constantFrom('', 'One', 'Other'), { nil: null })
const profiles: fc.Arbitrary<Profile> = fc
  .record({
    name: fc.constant('Ada'),
    profile: texts.map((text) => text || null),
    profile_status: statuses as fc.Arbitrary<Profile['profile_status']>,
    custom_instructions: texts.map((text) => text || null),
    update_automatically: fc.boolean(),
    skills: fc.constantFrom<string[]>([], ['VPN', 'Backups']),
    deleted_at: fc.constantFrom(null, NOW),
  })
  .map((profile) => ({ ...profile, is_ready: isReady(profile) }))

const patches: fc.Arbitrary<Patch> = fc.record(
  {
    profile: texts,
    custom_instructions: texts,
    update_automatically: fc.boolean(),
    skills: fc.array(fc.constantFrom('VPN', 'vpn', 'Backups')),
  },
  { requiredKeys: [] },
)

describe('a technician', () => {
  it.each([
    ['a text', { profile: 'Second line.' }, { profile: 'Second line.', profile_status: 'READY' }],
    ['the same text', { profile: 'First line.' }, {}],
    ['no text', { profile: null }, { profile: null, profile_status: 'PENDING', is_ready: false }],
    ['an empty text', { profile: '' }, { profile: null, profile_status: 'PENDING', is_ready: false }],
    ['instructions', { custom_instructions: 'Ask me.' }, { custom_instructions: 'Ask me.' }],
    ['no instructions', { custom_instructions: '' }, {}],
    ['skills', { skills: ['VPN', 'Backups', 'vpn'] }, { skills: ['VPN', 'Backups'] }],
    ['a switch', { update_automatically: false }, { update_automatically: false }],
    ['nothing', {}, {}],
  ])('that is given %s has it', (_name, patch, changed) => {
    expect(patched(technician, patch)).toEqual({ ...technician, ...changed })
  })

  it.each(['PENDING', 'GENERATING', 'STALE', 'FAILED'] as const)(
    'whose profile is %s has a READY one once a person writes it',
    (profile_status) => {
      const before = { ...technician, profile: null, profile_status, is_ready: false }
      expect(patched(before, { profile: 'Field engineer.' })).toMatchObject({
        profile_status: 'READY',
        is_ready: true,
      })
    },
  )

  it('stays STALE if its text stays', () => {
    const stale = { ...technician, profile_status: 'STALE' as const }
    expect(patched(stale, { profile: 'First line.', update_automatically: true })).toEqual(stale)
  })

  it('is ready exactly with a profile that can be used, and not deleted, whatever is patched', () => {
    fc.assert(
      fc.property(profiles, patches, (profile, patch) => {
        const after = patched(profile, patch)
        expect(after.is_ready).toBe(isReady(after))
        expect(after.deleted_at).toEqual(profile.deleted_at)
        expect(patched(after, patch)).toEqual(after)
      }),
    )
  })

  it('that is sent back as it was read stays as it is', () => {
    fc.assert(
      fc.property(profiles, (profile) => {
        const { custom_instructions, update_automatically, skills } = profile
        const sent = { profile: profile.profile, custom_instructions, update_automatically, skills }
        expect(patched(profile, sent)).toEqual(profile)
      }),
    )
  })

  it('loses by its deletion the profile, the instructions and the updates, and keeps its name and skills', () => {
    expect({ ...technician, ...deletion(NOW) }).toEqual({
      ...technician,
      profile: null,
      profile_status: 'PENDING',
      is_ready: false,
      update_automatically: false,
      deleted_at: NOW,
    })
  })

  it('that is brought back is ready if a profile was written meanwhile', () => {
    const deleted = { ...technician, ...deletion(NOW) }
    expect(restoration(deleted, 'Ada L.')).toEqual({
      name: 'Ada L.',
      update_automatically: true,
      deleted_at: null,
      is_ready: false,
    })
    expect(restoration(patched(deleted, { profile: 'Back.' }), 'Ada').is_ready).toBe(true)
  })

  it('who is unknown is named by the place in the list', () => {
    const problems = unknownTechnicians('technician_ids', [4, 5, 4], new Set([5]))
    expect(problems.map(({ field, code }) => [field, code])).toEqual([
      ['technician_ids.0', 'unknown'],
      ['technician_ids.2', 'unknown'],
    ])
  })
})

describe('a schedule', () => {
  const stored = { name: 'Day', timezone: 'UTC', updated_by_user: 'Ada' }
  it('names who changed it, and only if something differs', () => {
    expect(edited(stored, { name: 'Day', timezone: 'UTC' }, 'Bo')).toEqual({})
    expect(edited(stored, { name: 'Late', timezone: 'UTC' }, 'Bo')).toEqual({
      name: 'Late',
      timezone: 'UTC',
      updated_by_user: 'Bo',
    })
  })
})

describe('availability', () => {
  const shift = (timezone: string) =>
    scheduledHours({
      timezone,
      windows: DAYS.slice(0, 5).map((name) => ({ day: name, start_time: '09:00', end_time: '17:30' })),
    })
  const told = (working: Parameters<typeof availabilityAt>[0], at: string) => {
    const { available, until, next_available_at } = availabilityAt(working, new Date(at))
    return [available, until?.toISOString() ?? null, next_available_at?.toISOString() ?? null]
  }

  it.each([
    ['in a shift', 'Europe/London', '2026-11-20T10:00:00Z', true, '2026-11-20T17:30:00.000Z', null],
    ['at its first instant', 'Europe/London', '2026-11-20T09:00:00Z', true, '2026-11-20T17:30:00.000Z', null],
    ['at its end', 'Europe/London', '2026-11-20T17:30:00Z', false, null, '2026-11-23T09:00:00.000Z'],
    ['before summer time', 'Europe/London', '2026-03-27T18:00:00Z', false, null, '2026-03-30T08:00:00.000Z'],
    ['after summer time', 'Europe/London', '2026-10-23T17:00:00Z', false, null, '2026-10-26T09:00:00.000Z'],
    ['far from UTC', 'Pacific/Auckland', '2026-11-19T20:30:00Z', true, '2026-11-20T04:30:00.000Z', null],
  ])('is told %s', (_name, zone, at, available, until, next) => {
    expect(told(shift(zone), at)).toEqual([available, until, next])
  })

  it('goes on past midnight in two windows that meet', () => {
    const windows: Window[] = [
      { day: 'SATURDAY', start_time: '18:00', end_time: '24:00' },
      { day: 'SUNDAY', start_time: '00:00', end_time: '06:00' },
    ]
    const night = scheduledHours({ timezone: 'UTC', windows })
    expect(told(night, '2026-11-21T20:00:00Z')).toEqual([true, '2026-11-22T06:00:00.000Z', null])
  })

  it('of a schedule without windows, and of a deleted technician, never comes', () => {
    expect(told(scheduledHours({ timezone: 'UTC', windows: [] }), '2026-11-20T10:00:00Z')).toEqual([
      false,
      null,
      null,
    ])
    expect(told(null, '2026-11-20T10:00:00Z')).toEqual([false, null, null])
  })

  it('is by business hours Monday to Friday without a schedule, in UTC without a zone', () => {
    const hours = (timezone: string | null) =>
      businessHours({ start_business_hours: 8, end_business_hours: 24, timezone })
    expect(told(hours('Europe/Paris'), '2026-11-20T22:59:00Z')).toEqual([
      true,
      '2026-11-20T23:00:00.000Z',
      null,
    ])
    expect(told(hours(null), '2026-11-21T10:00:00Z')).toEqual([false, null, '2026-11-23T08:00:00.000Z'])
    expect(hours(null).timezone).toBe('UTC')
  })

  it.each([
    ['1969-12-31T23:59:59Z', 1],
    ['1970-01-01T00:00:00Z', 0],
    ['2199-12-31T23:59:59Z', 0],
    ['2200-01-01T00:00:00Z', 1],
  ])('at %s has %i problems', (at, count) => {
    expect(instantProblems(new Date(at))).toHaveLength(count)
  })
})
