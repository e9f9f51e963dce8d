import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  addMonths,
  creditsOf,
  maxUsageSeconds,
  OTHER_GROUPS,
  periodAt,
  QUESTIONS_A_DAY,
  type QuestionRefusal,
  questionRefusal,
  reachedThresholds,
  runRefusal,
  type SubscriptionStatus,
  statusAt,
  sumOfCredits,
  type Terms,
  thresholdsOf,
  type UsageRow,
  usageByBucket,
  watchedPeriods,
} from '../../src/areas/billing/rules.ts'

const at = (text: string) => new Date(`${text}Z`)
const terms = (given: Partial<Terms> = {}): Terms => ({
  status: 'ACTIVE',
  first_period_start: at('2026-01-31T10:00'),
  trial_ends_at: null,
  ends_at: null,
  ...given,
})

const STATUSES: SubscriptionStatus[] = ['TRIALING', 'ACTIVE', 'PAST_DUE', 'PAUSED', 'CANCELLED', 'EXPIRED']

describe('the status of a subscription', () => {
  const end = at('2026-03-01T00:00')
  const before = at('2026-02-28T23:59:59.999')

  it.each([
    ['TRIALING', { trial_ends_at: end }, 'TRIALING', 'EXPIRED'],
    ['TRIALING', {}, 'TRIALING', 'TRIALING'],
    ['TRIALING', { ends_at: end }, 'TRIALING', 'CANCELLED'],
    ['ACTIVE', { trial_ends_at: end }, 'ACTIVE', 'ACTIVE'],
    ['ACTIVE', { ends_at: end }, 'ACTIVE', 'CANCELLED'],
    ['PAST_DUE', { ends_at: end }, 'PAST_DUE', 'CANCELLED'],
    ['PAUSED', { ends_at: end }, 'PAUSED', 'CANCELLED'],
    ['PAUSED', {}, 'PAUSED', 'PAUSED'],
    ['CANCELLED', { ends_at: at('2027-01-01T00:00') }, 'CANCELLED', 'CANCELLED'],
    ['EXPIRED', { ends_at: end }, 'EXPIRED', 'EXPIRED'],
  ] as const)('%s with %j is %s, and %s from the end on', (status, given, earlier, later) => {
    expect(statusAt(terms({ status, ...given }), before)).toBe(earlier)
    expect(statusAt(terms({ status, ...given }), end)).toBe(later)
  })
})

describe('a billing period', () => {
  it.each([
    ['2026-01-31T10:00', '2026-01-31T10:00', '2026-02-28T10:00'],
    ['2026-02-28T09:59:59.999', '2026-01-31T10:00', '2026-02-28T10:00'],
    ['2026-02-28T10:00', '2026-02-28T10:00', '2026-03-31T10:00'],
    ['2026-04-30T10:00', '2026-04-30T10:00', '2026-05-31T10:00'],
    ['2028-02-29T12:00', '2028-02-29T10:00', '2028-03-31T10:00'],
    // Before the first one it is the first one.
    ['2025-06-01T00:00', '2026-01-31T10:00', '2026-02-28T10:00'],
  ])('at %s is %s to %s', (now, from, to) => {
    expect(periodAt(terms(), at(now))).toEqual({ from: at(from), to: at(to) })
  })

  it('is the trial, as long as that is tried and after it', () => {
    const trial = terms({ status: 'TRIALING', trial_ends_at: at('2026-02-14T10:00') })
    for (const now of ['2026-02-01T00:00', '2026-02-14T10:00', '2026-08-01T00:00'])
      expect(periodAt(trial, at(now))).toEqual({ from: trial.first_period_start, to: trial.trial_ends_at })
  })

  it('stays the last one when the subscription has ended', () => {
    const ended = terms({ ends_at: at('2026-03-31T10:00') })
    const last = { from: at('2026-02-28T10:00'), to: at('2026-03-31T10:00') }
    for (const now of ['2026-03-31T09:00', '2026-03-31T10:00', '2027-08-01T00:00'])
      expect(periodAt(ended, at(now))).toEqual(last)
  })

  test('contains the instant, and the next one begins where it ends', () => {
    const instant = fc.date({ min: at('2020-01-01T00:00'), max: at('2035-01-01T00:00'), noInvalidDate: true })
    fc.assert(
      fc.property(instant, instant, (one, other) => {
        const [first, now] = one < other ? [one, other] : [other, one]
        const { from, to } = periodAt(terms({ first_period_start: first }), now)
        expect(from <= now && now < to).toBe(true)
        expect(periodAt(terms({ first_period_start: first }), to).from).toEqual(to)
        expect(Number(to) - Number(from)).toBeLessThanOrEqual(31 * 86_400_000)
      }),
    )
  })

  test.each([
    ['2026-01-31T10:00', 1, '2026-02-28T10:00'],
    ['2026-01-31T10:00', 13, '2027-02-28T10:00'],
    ['2026-12-15T00:00', 1, '2027-01-15T00:00'],
    ['2026-03-31T00:00', -1, '2026-02-28T00:00'],
  ])('%s and %i months is %s', (from, months, to) => {
    expect(addMonths(at(from), months)).toEqual(at(to))
  })
})

describe('a run', () => {
  const RUNS: Record<SubscriptionStatus, boolean> = {
    TRIALING: true,
    ACTIVE: true,
    PAST_DUE: true,
    PAUSED: false,
    CANCELLED: false,
    EXPIRED: false,
  }

  test.each(STATUSES)('of a subscription that is %s may start, or not', (status) => {
    const plan = { credits_included: 10, overage_allowed: false }
    expect(runRefusal(status, plan, 9.9999)).toBe(RUNS[status] ? null : 'subscription_inactive')
    expect(runRefusal(status, plan, 10)).toBe(RUNS[status] ? 'credits_exhausted' : 'subscription_inactive')
    const open = { ...plan, overage_allowed: true }
    expect(runRefusal(status, open, 10_000)).toBe(RUNS[status] ? null : 'subscription_inactive')
  })

  test('is never refused for its credits if more are allowed, nor before they are used up', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.boolean(),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        (included, more, used) => {
          const refused = runRefusal('ACTIVE', { credits_included: included, overage_allowed: more }, used)
          expect(refused).toBe(!more && used >= included ? 'credits_exhausted' : null)
        },
      ),
    )
  })
})

test('credits that are left and those beyond the included ones make up the balance', () => {
  expect(creditsOf({ credits_included: 1000 }, 999.7)).toEqual({
    credits_used: 999.7,
    credits_remaining: 0.3,
    overage_credits_used: 0,
  })
  expect(creditsOf({ credits_included: 1000 }, 1000.0001)).toEqual({
    credits_used: 1000.0001,
    credits_remaining: 0,
    overage_credits_used: 0.0001,
  })
})

test('sums of credits have no errors of binary fractions', () => {
  expect(sumOfCredits([0.1, 0.2])).toBe(0.3)
  expect(sumOfCredits([])).toBe(0)
})

test('thresholds are in ascending order, each once, and stay so', () => {
  expect(thresholdsOf([100, 9, 100, 80])).toEqual([9, 80, 100])
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1000 })), (given) => {
      const once = thresholdsOf(given)
      expect(thresholdsOf(once)).toEqual(once)
      expect(new Set(once)).toEqual(new Set(given))
    }),
  )
})

test('a window of hours has seven days at most, another one 400', () => {
  expect([maxUsageSeconds('HOUR'), maxUsageSeconds('DAY'), maxUsageSeconds('MONTH')]).toEqual([
    7 * 86_400,
    400 * 86_400,
    400 * 86_400,
  ])
})

describe('usage', () => {
  const windows = [1, 2, 3].map((day) => ({
    from: at(`2026-03-0${day}T00:00`),
    to: at(`2026-03-0${day + 1}T00:00`),
  }))
  const row = (
    place: number,
    key: string | null,
    credits_consumed: number,
    rest: Partial<UsageRow> = {},
  ) => ({
    place,
    key,
    label: key && `Agent ${key}`,
    credits_consumed,
    total_executions: 2,
    chat_messages: 1,
    ...rest,
  })

  it('has every bucket, with zeros if there is nothing', () => {
    const buckets = usageByBucket(windows, [row(2, null, 1.5)], { grouped: false })
    const nothing = { credits: 0, executions: 0, chat_messages: 0, groups: null }
    expect(buckets.map(({ start: _start, end: _end, ...rest }) => rest)).toEqual([
      nothing,
      { credits: 1.5, executions: 2, chat_messages: 1, groups: null },
      nothing,
    ])
    expect(buckets.map(({ start, end }) => ({ from: start, to: end }))).toEqual(windows)
  })

  it('has the groups of each bucket, those that used most in the window first', () => {
    const rows = [row(1, '7', 1), row(1, '8', 2), row(2, '7', 5)]
    const [first, second, third] = usageByBucket(windows, rows, { grouped: true })
    expect(first).toMatchObject({ credits: 3, executions: 4, chat_messages: 2 })
    expect(first?.groups).toEqual([
      { key: '7', label: 'Agent 7', credits: 1 },
      { key: '8', label: 'Agent 8', credits: 2 },
    ])
    expect(second?.groups).toEqual([{ key: '7', label: 'Agent 7', credits: 5 }])
    expect(third?.groups).toEqual([])
  })

  test('of any groups adds up: groups to their bucket, and no more than fifty and the others', () => {
    const rows = fc.uniqueArray(
      fc.record({ place: fc.integer({ min: 1, max: 3 }), agent: fc.nat(80), units: fc.nat(1_000_000) }),
      { selector: ({ place, agent }) => `${place} ${agent}`, maxLength: 240 },
    )
    fc.assert(
      fc.property(rows, (given) => {
        const all = given.map(({ place, agent, units }) => row(place, String(agent), units / 10_000))
        const buckets = usageByBucket(windows, all, { grouped: true })
        for (const { credits, groups } of buckets) {
          expect(sumOfCredits((groups ?? []).map((group) => group.credits))).toBe(credits)
        }
        const named = new Set(buckets.flatMap(({ groups }) => (groups ?? []).map(({ key }) => key)))
        const agents = new Set(given.map(({ agent }) => agent)).size
        expect(named.size).toBe(Math.min(agents, 50) + Number(agents > 50))
        expect(named.has(OTHER_GROUPS.key)).toBe(agents > 50)
        expect(sumOfCredits(buckets.map(({ credits }) => credits))).toBe(
          sumOfCredits(all.map((each) => each.credits_consumed)),
        )
      }),
    )
  })
})

it.each<[Parameters<typeof questionRefusal>[0], number, QuestionRefusal | null]>([
  [null, 0, null],
  [null, QUESTIONS_A_DAY - 1, null],
  [null, QUESTIONS_A_DAY, 'questions_used_up'],
  ['credits_exhausted', 0, 'credits_exhausted'],
  ['tenant_suspended', QUESTIONS_A_DAY, 'tenant_suspended'],
])('a question to the model that no agent asks, after %s and %i of the day: %s', (stop, asked, refusal) => {
  expect(questionRefusal(stop, asked)).toBe(refusal)
})

it.each<[used: number, included: number, reached: number[]]>([
  [0, 100, []],
  [79.9999, 100, []],
  [80, 100, [80]],
  [100, 100, [80, 100]],
  [1000, 100, [80, 100, 1000]],
  [0.0001, 0, [80, 100, 1000]],
  [0, 0, []],
])('%d credits of %d have reached the thresholds %j', (used, credits_included, reached) => {
  expect(reachedThresholds([80, 100, 1000], { credits_included }, used)).toEqual(reached)
})

it('the thresholds of a billing period are looked at until an hour after its end', () => {
  const end = at('2026-03-31T10:00')
  const watched = (of: Terms, minutes: number) =>
    watchedPeriods(of, new Date(end.getTime() + minutes * 60_000)).map(({ to }) => to)
  const ended = terms({ status: 'CANCELLED', ends_at: end })
  expect(watched(ended, -1)).toEqual([end])
  expect(watched(ended, 59)).toEqual([end])
  expect(watched(ended, 60)).toEqual([])
  expect(watched(terms(), -1)).toEqual([end])
  expect(watched(terms(), 59)).toEqual([end, at('2026-04-30T10:00')])
  expect(watched(terms(), 60)).toEqual([at('2026-04-30T10:00')])
})
