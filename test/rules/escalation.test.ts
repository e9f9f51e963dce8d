import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messageOf } from '../../src/areas/escalation/message.ts'
import { contentOf, contentProblems, type Given } from '../../src/areas/escalation/policies/rules.ts'
import { policyFor, stepAt, subjectOf, ticketOf } from '../../src/areas/escalation/rules.ts'
import { wallClock } from '../../src/lib/timezone.ts'

const BERLIN = 'Europe/Berlin'
const hours = (
  start_business_hours: number,
  end_business_hours: number,
  timezone: string | null = BERLIN,
) => ({
  start_business_hours,
  end_business_hours,
  timezone,
})

describe('the instant of a step', () => {
  it.each([
    // In Berlin clocks go forward on 29 March 2026 at 01:00 UTC, and back on 25 October 2026 at 01:00 UTC.
    ['waits from the step before it', 30, '2026-11-23T10:00:00Z', null, '2026-11-23T10:30:00Z'],
    ['crosses midnight', 120, '2026-11-23T23:30:00Z', null, '2026-11-24T01:30:00Z'],
    [
      'waits in real minutes while clocks go forward',
      60,
      '2026-03-29T00:30:00Z',
      null,
      '2026-03-29T01:30:00Z',
    ],
    ['waits in real minutes while clocks go back', 60, '2026-10-25T00:30:00Z', null, '2026-10-25T01:30:00Z'],
    ['stays within business hours', 15, '2026-11-23T09:00:00Z', hours(8, 18), '2026-11-23T09:15:00Z'],
    [
      'stays at the minute at which they begin',
      60,
      '2026-11-23T06:00:00Z',
      hours(8, 18),
      '2026-11-23T07:00:00Z',
    ],
    [
      'moves on from the minute at which they end',
      60,
      '2026-11-23T16:00:00Z',
      hours(8, 18),
      '2026-11-24T07:00:00Z',
    ],
    ['stays a minute before their end', 59, '2026-11-23T16:00:00Z', hours(8, 18), '2026-11-23T16:59:00Z'],
    [
      'moves from the evening to the next morning',
      0,
      '2026-11-23T20:10:30Z',
      hours(8, 18),
      '2026-11-24T07:00:00Z',
    ],
    [
      'moves from the night to the same morning',
      0,
      '2026-11-23T01:00:00Z',
      hours(8, 18),
      '2026-11-23T07:00:00Z',
    ],
    [
      'takes a Saturday for a day like others',
      0,
      '2026-11-28T03:00:00Z',
      hours(8, 18),
      '2026-11-28T07:00:00Z',
    ],
    ['takes a Sunday for a day like others', 5, '2026-11-29T12:00:00Z', hours(8, 18), '2026-11-29T12:05:00Z'],
    [
      'opens an hour earlier in UTC after clocks go forward',
      0,
      '2026-03-28T20:00:00Z',
      hours(8, 18),
      '2026-03-29T06:00:00Z',
    ],
    [
      'opens an hour later in UTC after clocks go back',
      0,
      '2026-10-24T20:00:00Z',
      hours(8, 18),
      '2026-10-25T07:00:00Z',
    ],
    ['opens after an hour that clocks skip', 0, '2026-03-29T00:30:00Z', hours(2, 18), '2026-03-29T01:00:00Z'],
    [
      'leaves out a day whose hours clocks skip',
      0,
      '2026-03-29T00:30:00Z',
      hours(2, 3),
      '2026-03-30T00:00:00Z',
    ],
    ['is in the second of two equal hours', 0, '2026-10-25T01:30:00Z', hours(2, 3), '2026-10-25T01:30:00Z'],
    ['has hours until midnight', 0, '2026-11-23T22:59:59Z', hours(8, 24), '2026-11-23T22:59:59Z'],
    ['moves on at midnight', 0, '2026-11-23T23:00:00Z', hours(8, 24), '2026-11-24T07:00:00Z'],
    [
      'never moves if the whole day is business hours',
      0,
      '2026-03-29T00:59:00Z',
      hours(0, 24),
      '2026-03-29T00:59:00Z',
    ],
    [
      'reads hours without a zone as UTC',
      0,
      '2026-11-23T07:59:00Z',
      hours(8, 18, null),
      '2026-11-23T08:00:00Z',
    ],
    [
      'follows a zone with half an hour',
      0,
      '2026-11-23T00:00:00Z',
      hours(8, 18, 'Asia/Kolkata'),
      '2026-11-23T02:30:00Z',
    ],
    [
      'follows a zone whose clocks change by half an hour',
      0,
      '2026-04-04T20:00:00Z',
      hours(8, 18, 'Australia/Lord_Howe'),
      '2026-04-04T21:30:00Z',
    ],
  ] as const)('%s', (_case, wait_minutes, since, business_hours, at) => {
    expect(stepAt({ wait_minutes }, new Date(since), business_hours).toISOString()).toBe(
      new Date(at).toISOString(),
    )
  })

  const zone = fc.constantFrom(BERLIN, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC')
  const instant = fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true })
  const wait = fc.integer({ min: 0, max: 1440 })
  const span = fc
    .uniqueArray(fc.integer({ min: 0, max: 24 }), { minLength: 2, maxLength: 2 })
    .map((pair) => pair.sort((a, b) => a - b) as [number, number])

  it('is never before its wait is over, and in business hours', () => {
    fc.assert(
      fc.property(zone, instant, wait, span, (timezone, since, wait_minutes, [start, end]) => {
        const at = stepAt({ wait_minutes }, since, hours(start, end, timezone))
        const hour = new Date(wallClock(timezone, at.getTime())).getUTCHours()
        expect(at.getTime()).toBeGreaterThanOrEqual(since.getTime() + wait_minutes * 60_000)
        expect(hour >= start && hour < end).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('comes no later for a step that begins earlier', () => {
    fc.assert(
      fc.property(zone, instant, wait, span, (timezone, since, wait_minutes, [start, end]) => {
        const business_hours = hours(start, end, timezone)
        const [sooner, later] = [wait_minutes, wait_minutes + 1].map((minutes) =>
          stepAt({ wait_minutes: minutes }, since, business_hours).getTime(),
        ) as [number, number]
        expect(sooner).toBeLessThanOrEqual(later)
      }),
      { numRuns: 200 },
    )
  })
})

const policy = (id: number, given: Partial<Parameters<typeof policyFor>[0][number]> = {}) => ({
  id,
  enabled: true,
  is_default: false,
  agent_ids: [] as number[],
  triggers: ['EXECUTION_FAILED' as const],
  ...given,
})

describe('the policy that acts', () => {
  const cause = { trigger: 'EXECUTION_FAILED' as const, agent_id: 7 }
  const FOR_7 = { agent_ids: [7] }
  const FOR_8 = { agent_ids: [8] }
  it.each([
    ['is the agent’s own before one for all', [policy(1), policy(2, FOR_7)], 2],
    ['is one for all before the default', [policy(1, { is_default: true, ...FOR_8 }), policy(2)], 2],
    ['is the default for an agent that no other one names', [policy(1, { is_default: true, ...FOR_8 })], 1],
    ['is the one with the lowest id of several', [policy(3, FOR_7), policy(2, FOR_7), policy(4)], 2],
    ['is none that is disabled', [policy(1, { enabled: false }), policy(2)], 2],
    ['is none with other triggers', [policy(1, { triggers: ['AGENT_GAVE_UP'] }), policy(2)], 2],
    [
      'is not the default for another trigger',
      [policy(1, { is_default: true, triggers: ['AGENT_GAVE_UP'] })],
      null,
    ],
    ['is none of another agent', [policy(1, FOR_8)], null],
    ['is none if there is none', [], null],
  ] as const)('%s', (_case, policies, id) => {
    expect(policyFor(policies, cause)?.id ?? null).toBe(id)
  })

  it('of a cause without an agent is none of an agent', () => {
    const without = { trigger: 'EXECUTION_FAILED' as const, agent_id: null }
    expect(policyFor([policy(1, FOR_7)], without)).toBeNull()
    expect(policyFor([policy(1, FOR_7), policy(2)], without)?.id).toBe(2)
  })

  it('is the same whatever the order of the policies is', () => {
    const one = fc.record({
      id: fc.integer({ min: 1, max: 9 }),
      enabled: fc.boolean(),
      is_default: fc.boolean(),
      agent_ids: fc.subarray([7, 8]),
      triggers: fc.constantFrom(['EXECUTION_FAILED' as const], ['AGENT_GAVE_UP' as const]),
    })
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: ({ id }) => id }), (policies) => {
        expect(policyFor(policies.toReversed(), cause)).toEqual(policyFor(policies, cause))
      }),
    )
  })
})

describe('the subject of an escalation', () => {
  it.each([
    ['is the ticket', { entity_type: 'TICKET', entity_id: '41', execution_id: 'e' }, 'TICKET/41', '41'],
    [
      'is the execution on a time entry',
      { entity_type: 'TIME_ENTRY', entity_id: '41', execution_id: 'e' },
      'EXECUTION/e',
      null,
    ],
    [
      'is the execution on nothing',
      { entity_type: 'NONE', entity_id: null, execution_id: 'e' },
      'EXECUTION/e',
      null,
    ],
  ] as const)('%s', (_case, work, subject, ticket) => {
    expect(subjectOf(work)).toBe(subject)
    expect(ticketOf(subjectOf(work))).toBe(ticket)
  })
})

describe('a policy that a caller gives', () => {
  const step = { target_type: 'TECHNICIANS' as const, target_ids: ['1'] }
  const given: Given = { name: 'Night', triggers: ['EXECUTION_FAILED'], steps: [step] }
  const fieldsOf = (also: Given) =>
    contentProblems(contentOf({ ...given, ...also })).map(({ field }) => field)

  it('tells technicians by their inbox unless it says otherwise', () => {
    expect(contentOf(given).steps).toEqual([{ ...step, wait_minutes: 0, notify_via: ['INBOX'] }])
  })

  it.each([
    ['is accepted', {}, []],
    ['needs a way to tell technicians', { steps: [{ ...step, notify_via: [] }] }, ['steps.0.notify_via']],
    [
      'tells a channel in no way but its own',
      { steps: [{ ...step, target_type: 'CHANNEL', notify_via: ['EMAIL'] }] },
      ['steps.0.notify_via'],
    ],
    ['accepts a channel', { steps: [{ ...step, target_type: 'CHANNEL' }] }, []],
    [
      'needs minutes and statuses for stalled tickets',
      { triggers: ['TICKET_STALLED'] },
      ['stalled_minutes', 'stalled_statuses'],
    ],
    ['has minutes for stalled tickets alone', { stalled_minutes: 60 }, ['stalled_minutes']],
    ['has statuses for stalled tickets alone', { stalled_statuses: ['New'] }, ['stalled_statuses']],
    [
      'accepts stalled tickets',
      { triggers: ['TICKET_STALLED'], stalled_minutes: 60, stalled_statuses: ['New'] },
      [],
    ],
    ['has no change of the ticket that changes nothing', { ticket_change: {} }, ['ticket_change']],
    ['accepts a change of the ticket', { ticket_change: { remove_assignee: true } }, []],
  ] as const)('%s', (_case, also, fields) => {
    expect(fieldsOf(also)).toEqual(fields)
  })

  it('loses what tells when tickets stall with the trigger', () => {
    const stalled = contentOf({
      ...given,
      triggers: ['TICKET_STALLED'],
      stalled_minutes: 60,
      stalled_statuses: ['New'],
    })
    const changed = contentOf({ triggers: ['EXECUTION_FAILED'] }, stalled)
    expect(changed).toMatchObject({ stalled_minutes: null, stalled_statuses: [] })
    expect(contentProblems(changed)).toEqual([])
  })

  it('that is given again is the same', () => {
    const content = contentOf(given)
    expect(contentOf(content, content)).toEqual(content)
  })
})

it('the message of an escalation is one line and a text without empty facts', () => {
  const { subject, text } = messageOf({
    id: 'esc_1',
    policy_name: 'Night\nshift',
    trigger: 'AGENT_GAVE_UP',
    reason: 'The licence is gone.',
    execution_id: null,
    entity_number: 'T-1\r\nBcc: x',
    created_at: new Date('2026-11-23T10:00:00Z'),
    agent_name: 'Triage',
  })
  expect(subject).toBe('An agent cannot go on (ticket T-1 Bcc: x)')
  expect(text).toContain('Reason: The licence is gone.')
  expect(text).not.toContain('Execution:')
})
