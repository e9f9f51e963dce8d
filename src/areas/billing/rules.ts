/** The rules of billing: billing periods, states of a subscription, credits, alerts and usage. */
import type { Window } from '../../lib/window.ts'

export const STATUSES = ['TRIALING', 'ACTIVE', 'PAST_DUE', 'PAUSED', 'CANCELLED', 'EXPIRED'] as const
export type SubscriptionStatus = (typeof STATUSES)[number]

/** The plan of a tenant that has chosen none: the model's defaults. */
// Contract silent: a new tenant is on a plan with a thousand credits a month, and goes on working beyond them.
export const DEFAULT_PLAN = {
  status: 'ACTIVE',
  plan_name: 'Standard',
  credits_included: 1000,
  overage_allowed: true,
} as const

export interface Terms {
  status: SubscriptionStatus
  first_period_start: Date
  trial_ends_at: Date | null
  ends_at: Date | null
}

/** The status at an instant: a trial and a cancelled subscription end by themselves. */
export function statusAt({ status, trial_ends_at, ends_at }: Terms, now: Date): SubscriptionStatus {
  if (status === 'CANCELLED' || status === 'EXPIRED') return status
  if (status === 'TRIALING' && trial_ends_at && trial_ends_at <= now) return 'EXPIRED'
  return ends_at && ends_at <= now ? 'CANCELLED' : status
}

/** The reason why a subscription cannot have the terms; null if it can. */
export function termsProblem({ status, first_period_start, trial_ends_at, ends_at }: Terms): string | null {
  // Without its end the billing periods of a subscription that is over would go on.
  if (status === 'CANCELLED' && ends_at === null) return 'A cancelled subscription has an end.'
  if (status !== 'TRIALING' && status !== 'EXPIRED') return null
  if (trial_ends_at === null) return 'A trial has an end.'
  return trial_ends_at <= first_period_start ? 'A trial ends after it begins.' : null
}

/** The same day and time so many months later; the month's last day if it has no such day. */
export function addMonths(instant: Date, months: number): Date {
  const later = new Date(instant)
  later.setUTCDate(1)
  later.setUTCMonth(later.getUTCMonth() + months)
  const last_day = new Date(Date.UTC(later.getUTCFullYear(), later.getUTCMonth() + 1, 0)).getUTCDate()
  later.setUTCDate(Math.min(instant.getUTCDate(), last_day))
  return later
}

/** The month, counted from its first period, that contains the instant; the first one before that. */
function monthOf(first: Date, instant: Date): Window {
  const apart =
    (instant.getUTCFullYear() - first.getUTCFullYear()) * 12 + instant.getUTCMonth() - first.getUTCMonth()
  const months = Math.max(0, addMonths(first, apart) > instant ? apart - 1 : apart)
  return { from: addMonths(first, months), to: addMonths(first, months + 1) }
}

// Contract silent: billing periods are months in UTC; a trial is one period; an ended subscription keeps its last one.
/** The billing period at an instant, or the last one of a subscription that has ended. */
export function periodAt(terms: Terms, now: Date): Window {
  const { first_period_start: from, trial_ends_at, ends_at } = terms
  const status = statusAt(terms, now)
  const is_trial = status === 'TRIALING' || status === 'EXPIRED'
  if (is_trial && trial_ends_at && trial_ends_at > from) return { from, to: trial_ends_at }
  const is_over = ends_at !== null && ends_at <= now
  return monthOf(from, is_over ? new Date(ends_at.getTime() - 1) : now)
}

/** Statuses in which agents do not run. Everything can still be read. */
// Contract silent: a cancelled subscription allows no runs either.
const WITHOUT_RUNS: ReadonlySet<SubscriptionStatus> = new Set(['PAUSED', 'CANCELLED', 'EXPIRED'])

export interface Allowance {
  credits_included: number
  overage_allowed: boolean
}

/** The code with which a run is refused, or stopped; null if agents may run. */
export function runRefusal(
  status: SubscriptionStatus,
  { credits_included, overage_allowed }: Allowance,
  credits_used: number,
): 'subscription_inactive' | 'credits_exhausted' | null {
  if (WITHOUT_RUNS.has(status)) return 'subscription_inactive'
  return !overage_allowed && credits_used >= credits_included ? 'credits_exhausted' : null
}

/** The questions to the model that no agent asks, of a tenant in a day of UTC. */
// Contract silent: customers of integrations are few questions, unless their list changes all the time.
export const QUESTIONS_A_DAY = 500

export type QuestionRefusal =
  | NonNullable<ReturnType<typeof runRefusal>>
  | 'tenant_suspended'
  | 'questions_used_up'

/** The reason why a question is not allowed, by what would stop a run and the questions of the day; null if it is. */
export const questionRefusal = (
  stop: Exclude<QuestionRefusal, 'questions_used_up'> | null,
  asked: number,
): QuestionRefusal | null => stop ?? (asked >= QUESTIONS_A_DAY ? 'questions_used_up' : null)

/** Credits have four decimals. */
const UNITS = 10_000
const inUnits = (credits: number): number => Math.round(credits * UNITS)

/** The sum without the errors of binary fractions. */
export const sumOfCredits = (amounts: readonly number[]): number =>
  amounts.reduce((sum, credits) => sum + inUnits(credits), 0) / UNITS

export interface Credits {
  credits_used: number
  credits_remaining: number
  overage_credits_used: number
}

/** The balance of a billing period. */
export function creditsOf({ credits_included }: Pick<Allowance, 'credits_included'>, used: number): Credits {
  const beyond = (inUnits(used) - inUnits(credits_included)) / UNITS
  return {
    credits_used: used,
    credits_remaining: Math.max(0, -beyond),
    overage_credits_used: Math.max(0, beyond),
  }
}

/** The alerts of a tenant that has chosen none. */
export const DEFAULT_THRESHOLDS: readonly number[] = [80, 100]

/** Every threshold once, in ascending order. */
export const thresholdsOf = (thresholds: readonly number[]): number[] =>
  [...new Set(thresholds)].sort((a, b) => a - b)

/** Hours after its end for which the thresholds of a billing period are still looked at. */
const LATE_HOURS = 1

/** The billing periods whose thresholds are looked at: the present one, and one that ended just now. */
export function watchedPeriods(terms: Terms, now: Date): Window[] {
  const earlier = new Date(now.getTime() - LATE_HOURS * 3_600_000)
  const [last, present] = [periodAt(terms, earlier), periodAt(terms, now)]
  const periods = last.from.getTime() === present.from.getTime() ? [present] : [last, present]
  return periods.filter(({ to }) => to > earlier)
}

/** The thresholds that the credits of a billing period have reached. Nothing reaches none, whatever is included. */
export const reachedThresholds = (
  thresholds: readonly number[],
  { credits_included }: Pick<Allowance, 'credits_included'>,
  used: number,
): number[] => thresholds.filter((pct) => used > 0 && inUnits(used) * 100 >= inUnits(credits_included) * pct)

const DAY_SECONDS = 24 * 60 * 60

/** The longest window of usage. */
export const maxUsageSeconds = (granularity: string): number =>
  (granularity === 'HOUR' ? 7 : 400) * DAY_SECONDS

/** The sums of one bucket, or of one group in it. */
export interface UsageRow {
  /** The number of the bucket, from 1 on. */
  place: number
  /** The group; null if usage is not grouped. */
  key: string | null
  label: string | null
  credits_consumed: number
  total_executions: number
  chat_messages: number
}

interface Group {
  key: string
  label: string
  credits: number
}

export interface Bucket {
  start: Date
  end: Date
  credits: number
  executions: number
  chat_messages: number
  groups: Group[] | null
}

// Contract silent: fifty groups are told apart, so that an answer stays small whatever the number of agents.
export const MAX_GROUPS = 50
export const SERVICE_GROUP = { key: 'SERVICE', label: 'The service' } as const
export const OTHER_GROUPS = { key: 'OTHER', label: 'All others' } as const

/** The keys of the groups that used most in the whole window, the greatest first; equals by key. */
function largestGroups(rows: readonly UsageRow[]): string[] {
  const totals = [...Map.groupBy(rows, ({ key }) => key ?? '')].map(([key, own]) => ({
    key,
    credits: sumOfCredits(own.map(({ credits_consumed }) => credits_consumed)),
  }))
  totals.sort((a, b) => b.credits - a.credits || (a.key < b.key ? -1 : 1))
  return totals.slice(0, MAX_GROUPS).map(({ key }) => key)
}

function groupsOf(rows: readonly UsageRow[], largest: readonly string[]): Group[] {
  const by_key = new Map(rows.map((row) => [row.key, row]))
  const own = largest.flatMap((key) => {
    const row = by_key.get(key)
    return row ? [{ key, label: row.label ?? key, credits: row.credits_consumed }] : []
  })
  const told_apart = new Set<string | null>(largest)
  const others = rows.filter(({ key }) => !told_apart.has(key))
  if (others.length === 0) return own
  return [
    ...own,
    { ...OTHER_GROUPS, credits: sumOfCredits(others.map(({ credits_consumed }) => credits_consumed)) },
  ]
}

const total = (rows: readonly UsageRow[], of: 'total_executions' | 'chat_messages'): number =>
  rows.reduce((sum, row) => sum + row[of], 0)

/** Every bucket of the window with its sums; zeros if nothing was used. */
export function usageByBucket(
  windows: readonly Window[],
  rows: readonly UsageRow[],
  { grouped }: { grouped: boolean },
): Bucket[] {
  const by_place = Map.groupBy(rows, ({ place }) => place)
  const largest = grouped ? largestGroups(rows) : []
  return windows.map(({ from, to }, index) => {
    const own = by_place.get(index + 1) ?? []
    return {
      start: from,
      end: to,
      credits: sumOfCredits(own.map(({ credits_consumed }) => credits_consumed)),
      executions: total(own, 'total_executions'),
      chat_messages: total(own, 'chat_messages'),
      groups: grouped ? groupsOf(own, largest) : null,
    }
  })
}
