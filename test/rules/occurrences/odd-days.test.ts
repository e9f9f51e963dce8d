import { describe, expect, it } from 'vitest'
import { nextOccurrence, scheduleIn } from '../../../src/areas/agents/schedule/rules.ts'
import { schedule } from './schedule.ts'

/** The next occurrences, as `MM-DDTHH:MM` in UTC. */
function next(cron: string, timezone: string, after: string, count: number): string[] {
  const found: string[] = []
  let at: Date | null = new Date(after)
  for (let n = 0; n < count && at; n++) {
    at = nextOccurrence(schedule(cron, timezone), at)
    if (at) found.push(at.toISOString().slice(5, 16))
  }
  return found
}

describe('occurrences on odd days', () => {
  it.each<[what: string, cron: string, zone: string, after: string, expected: string[]]>([
    ['in UTC', '0 7 * * 1', 'UTC', '2027-01-01T00:00Z', ['01-04T07:00', '01-11T07:00']],
    ['a time that is now is past', '0 7 * * *', 'UTC', '2027-01-04T07:00Z', ['01-05T07:00']],
    [
      'an hour that does not exist',
      '30 2 * * *',
      'Europe/Berlin',
      '2027-03-27T12:00Z',
      ['03-28T01:30', '03-29T00:30'],
    ],
    [
      'the instant of the change',
      '0 2 * * *',
      'Europe/Berlin',
      '2027-03-27T12:00Z',
      ['03-28T01:00', '03-29T00:00'],
    ],
    ['after the change', '0 3 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', ['03-28T01:00', '03-29T01:00']],
    [
      'both, at one instant',
      '0 2,3 * * *',
      'Europe/Berlin',
      '2027-03-27T12:00Z',
      ['03-28T01:00', '03-29T00:00', '03-29T01:00'],
    ],
    [
      'in their order',
      '15 2,3 * * *',
      'Europe/Berlin',
      '2027-03-27T12:00Z',
      ['03-28T01:15', '03-29T00:15', '03-29T01:15'],
    ],
    [
      'every hour over a gap',
      '0 * * * *',
      'Europe/Berlin',
      '2027-03-27T23:30Z',
      ['03-28T00:00', '03-28T01:00', '03-28T02:00'],
    ],
    [
      'every hour, past the hour, over a gap',
      '20 * * * *',
      'Europe/Berlin',
      '2027-03-27T23:30Z',
      ['03-28T00:20', '03-28T01:20'],
    ],
    [
      'an hour that happens twice',
      '30 2 * * *',
      'Europe/Berlin',
      '2027-10-30T12:00Z',
      ['10-31T00:30', '11-01T01:30'],
    ],
    [
      'it happens once, asked for between the two',
      '30 2 * * *',
      'Europe/Berlin',
      '2027-10-31T01:10Z',
      ['11-01T01:30'],
    ],
    [
      'it happens once, asked for in the first',
      '30 2 * * *',
      'Europe/Berlin',
      '2027-10-31T00:45Z',
      ['11-01T01:30'],
    ],
    [
      'every hour over a repeated one',
      '0 * * * *',
      'Europe/Berlin',
      '2027-10-30T23:30Z',
      ['10-31T00:00', '10-31T01:00', '10-31T02:00'],
    ],
    [
      'every half hour',
      '*/30 * * * *',
      'Europe/Berlin',
      '2027-10-30T23:40Z',
      ['10-31T00:00', '10-31T00:30', '10-31T01:00', '10-31T01:30', '10-31T02:00'],
    ],
    ['in America', '30 1 * * *', 'America/New_York', '2027-11-06T12:00Z', ['11-07T05:30', '11-08T06:30']],
    [
      'half an hour that does not exist',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2027-10-01T20:00Z',
      ['10-02T15:45', '10-03T15:15'],
    ],
    [
      'half an hour that happens twice',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2027-04-03T12:00Z',
      ['04-03T14:45', '04-04T15:15'],
    ],
    [
      'every quarter, in half an hour twice',
      '*/15 * * * *',
      'Australia/Lord_Howe',
      '2027-04-03T14:40Z',
      ['04-03T14:45', '04-03T15:00', '04-03T15:15', '04-03T15:30', '04-03T15:45'],
    ],
    [
      'every quarter, over half an hour',
      '*/15 * * * *',
      'Australia/Lord_Howe',
      '2027-10-02T15:10Z',
      ['10-02T15:15', '10-02T15:30', '10-02T15:45', '10-02T16:00'],
    ],
    [
      'every hour, in half an hour twice',
      '0 * * * *',
      'Australia/Lord_Howe',
      '2027-04-03T13:10Z',
      ['04-03T14:00', '04-03T15:30', '04-03T16:30'],
    ],
    [
      'every hour, over half an hour',
      '0 * * * *',
      'Australia/Lord_Howe',
      '2027-10-02T13:40Z',
      ['10-02T14:30', '10-02T16:00', '10-02T17:00'],
    ],
    [
      'midnight does not exist',
      '0 0 * * *',
      'America/Santiago',
      '2027-09-04T12:00Z',
      ['09-05T04:00', '09-06T03:00'],
    ],
    [
      'half past midnight does not exist',
      '30 0 * * *',
      'America/Santiago',
      '2027-09-04T12:00Z',
      ['09-05T04:30', '09-06T03:30'],
    ],
    [
      'a Sunday without midnight',
      '0 0 * * 0',
      'America/Santiago',
      '2027-09-04T12:00Z',
      ['09-05T04:00', '09-12T03:00'],
    ],
    [
      'the hour before midnight twice',
      '30 23 * * *',
      'America/Santiago',
      '2027-04-03T12:00Z',
      ['04-04T02:30', '04-05T03:30'],
    ],
    ['midnight twice', '30 0 * * *', 'America/Havana', '2027-11-06T12:00Z', ['11-07T04:30', '11-08T05:30']],
    [
      'zones with quarters',
      '0 9 * * *',
      'Asia/Kathmandu',
      '2027-01-01T00:00Z',
      ['01-01T03:15', '01-02T03:15'],
    ],
    [
      'the last day of the month',
      '0 9 L * *',
      'Europe/London',
      '2027-01-15T00:00Z',
      ['01-31T09:00', '02-28T09:00', '03-31T08:00'],
    ],
    [
      'the 31st',
      '0 9 31 * *',
      'Europe/London',
      '2027-01-15T00:00Z',
      ['01-31T09:00', '03-31T08:00', '05-31T08:00'],
    ],
    ['the last Friday', '0 9 * * 5L', 'Europe/London', '2027-01-15T00:00Z', ['01-29T09:00', '02-26T09:00']],
    ['the fifth Monday', '0 9 * * 1#5', 'Europe/London', '2027-01-15T00:00Z', ['03-29T08:00', '05-31T08:00']],
    [
      'a day of the month or of the week',
      '0 9 13 * 5',
      'UTC',
      '2027-08-10T00:00Z',
      ['08-13T09:00', '08-20T09:00', '08-27T09:00', '09-03T09:00', '09-10T09:00', '09-13T09:00'],
    ],
    [
      'every minute, from within one',
      '* * * * *',
      'Europe/Berlin',
      '2027-03-28T00:58:30.500Z',
      ['03-28T00:59', '03-28T01:00', '03-28T01:01'],
    ],
  ])('%s: %s in %s', (_what, cron, zone, after, expected) => {
    expect(next(cron, zone, after, expected.length)).toEqual(expected)
  })

  it('29 February is in leap years', () => {
    const leap = schedule('0 9 29 2 *')
    expect(nextOccurrence(leap, new Date('2027-01-01'))?.toISOString()).toBe('2028-02-29T09:00:00.000Z')
    expect(nextOccurrence(leap, new Date('2097-01-01'))?.toISOString()).toBe('2104-02-29T09:00:00.000Z')
  })

  it('the bounds of a schedule: from start_at on, and before end_at', () => {
    const [start_at, end_at] = [new Date('2027-02-01T09:00Z'), new Date('2027-02-03T09:00Z')]
    const bounded = schedule('0 9 * * *', 'UTC', { start_at, end_at })
    const firstAfter = (text: string) => nextOccurrence(bounded, new Date(text))?.toISOString() ?? null
    expect(firstAfter('2027-01-01T00:00Z')).toBe('2027-02-01T09:00:00.000Z')
    expect(firstAfter('2027-02-01T09:00Z')).toBe('2027-02-02T09:00:00.000Z')
    expect(firstAfter('2027-02-02T09:00Z')).toBeNull()
    expect(firstAfter('2028-01-01T00:00Z')).toBeNull()
  })
})

describe('a stored schedule', () => {
  it('is read with its defaults', () => {
    expect(scheduleIn({ cron: '0 9 * * *' })).toEqual(schedule('0 9 * * *'))
    const bounds = { start_at: '2027-01-01', end_at: '2027-02-01T10:00:00+01:00' }
    expect(scheduleIn({ cron: '0 9 * * *', timezone: 'Asia/Tokyo', ...bounds })).toEqual(
      schedule('0 9 * * *', 'Asia/Tokyo', {
        start_at: new Date('2027-01-01T00:00Z'),
        end_at: new Date('2027-02-01T09:00Z'),
      }),
    )
    for (const none of [null, [], {}, { cron: 5 }, 'x']) expect(scheduleIn(none)).toBeNull()
  })
})
