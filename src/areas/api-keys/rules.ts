/** The rules of API keys. */

import { isScope, SCOPES, type Scope } from '../../access/policies/scopes.ts'
import type { Channel } from '../../access/viewer.ts'
import { bodyProblem, type FieldError } from '../../errors/errors.ts'
import { isNetwork } from '../../lib/networks.ts'
import { daysBefore } from '../../lib/time.ts'
import type { Window } from '../../lib/window.ts'

export const STATUSES = ['ACTIVE', 'SUNSETTING', 'EXPIRED', 'REVOKED'] as const
export type Status = (typeof STATUSES)[number]

/** The most ACTIVE keys of one environment. */
export const MAX_ACTIVE = 50

export const KEY_NAME = { min: 1, max: 80 } as const

/** The bounds of a key's life; the longest is the default. */
export const LIFETIME_DAYS = { min: 1, max: 365 } as const

const DAY_MS = 24 * 60 * 60 * 1000

/** The days before its expiry at which a key is told of. */
export const EXPIRING_DAYS = 14

/** The time for which a rotated key keeps working. */
const OVERLAP_MS = DAY_MS

export interface Lifetime {
  created_at: Date
  expires_at: Date
  sunset_at: Date | null
  revoked_at: Date | null
}

/** The fields of a key that are decided before it is created. */
export interface KeyDraft {
  name: string
  description: string | null
  scopes: string[]
  acting_user_id: string | null
  allow_acting_user_header: boolean
  channel: Channel | null
  of_service: boolean
  allowed_cidrs: string[]
  expires_at: Date
  rotated_from_key_id: string | null
}

/** The draft of a key. Fields that are left out allow as little as possible. */
export const keyDraft = (
  given: Pick<KeyDraft, 'name' | 'scopes' | 'expires_at'> & Partial<KeyDraft>,
): KeyDraft => ({
  description: null,
  acting_user_id: null,
  allow_acting_user_header: false,
  channel: null,
  of_service: false,
  allowed_cidrs: [],
  rotated_from_key_id: null,
  ...given,
  scopes: inCatalogueOrder(given.scopes),
})

/** The draft of a key's replacement: it lives as long as the key was to live. */
export const replacementOf = (
  key: Omit<KeyDraft, 'of_service'> & Lifetime & { id: string },
  now: Date,
): KeyDraft => {
  const { name, description, scopes, acting_user_id, allow_acting_user_header, channel, allowed_cidrs } = key
  const expires_at = replacementExpiry(now, key)
  return {
    name,
    description,
    scopes,
    acting_user_id,
    allow_acting_user_header,
    channel,
    // The user who rotates a key gets its new secret.
    of_service: false,
    allowed_cidrs,
    expires_at,
    rotated_from_key_id: key.id,
  }
}

/** The state of a key at an instant. */
export function statusOf(
  { expires_at, sunset_at, revoked_at }: Omit<Lifetime, 'created_at'>,
  now: Date,
): Status {
  if (revoked_at) return 'REVOKED'
  if (expires_at <= now || (sunset_at && sunset_at <= now)) return 'EXPIRED'
  return sunset_at ? 'SUNSETTING' : 'ACTIVE'
}

/** `statusOf` in SQL; `now` is the place of the instant. */
export const statusSql = (now: string): string =>
  `case when revoked_at is not null then 'REVOKED'
     when least(expires_at, sunset_at) <= ${now}::timestamptz then 'EXPIRED'
     when sunset_at is not null then 'SUNSETTING' else 'ACTIVE' end`

/** The instant a key rotated now stops working. */
export const overlapEnd = (now: Date, expires_at: Date): Date =>
  new Date(Math.min(now.getTime() + OVERLAP_MS, expires_at.getTime()))

/** The end of a key made now that lives so many days. */
export const expiry = (now: Date, lifetime_days: number): Date =>
  new Date(now.getTime() + lifetime_days * DAY_MS)

/** The end of a replacement made now: it lives as long as the key it replaces was to live. */
export const replacementExpiry = (
  now: Date,
  { created_at, expires_at }: Pick<Lifetime, 'created_at' | 'expires_at'>,
): Date => new Date(now.getTime() + expires_at.getTime() - created_at.getTime())

/** The problems of the scopes: there is no such scope, or the caller may not give it. */
export const scopeProblems = (scopes: readonly string[], may_give: ReadonlySet<string>): FieldError[] =>
  scopes.flatMap((scope, index) => {
    if (!isScope(scope))
      return [bodyProblem(`scopes.${index}`, 'enum', 'must be a scope of GET /public-api/api-keys/scopes')]
    if (!may_give.has(scope))
      return [bodyProblem(`scopes.${index}`, 'not_allowed', 'is more than your role allows')]
    return []
  })

/** The problems of the networks. */
export const networkProblems = (networks: readonly string[]): FieldError[] =>
  networks.flatMap((network, index) =>
    isNetwork(network)
      ? []
      : [bodyProblem(`allowed_cidrs.${index}`, 'format', 'must be a network such as 203.0.113.0/24')],
  )

/** Every scope once, in the catalogue's order. */
export const inCatalogueOrder = (scopes: readonly string[]): Scope[] =>
  SCOPES.filter((scope) => scopes.includes(scope))

const USAGE_DAYS = 30

/** The longest window of usage. */
export const MAX_USAGE_SECONDS = (90 * DAY_MS) / 1000

/** The window that is asked for: by default up to now, and 30 days long. */
export function usageWindow(from: Date | null, to: Date | null, now: Date): Window {
  const end = to ?? now
  return { from: from ?? daysBefore(end, USAGE_DAYS), to: end }
}

// Contract silent: requests are counted by UTC day, so a window takes in all of its first and its last day.
/** The UTC days that the window touches, the earliest first. */
export function daysIn({ from, to }: Window): string[] {
  const days: string[] = []
  const first = Math.floor(from.getTime() / DAY_MS) * DAY_MS
  for (let day = first; day < to.getTime(); day += DAY_MS) days.push(new Date(day).toISOString().slice(0, 10))
  return days
}

export interface Count {
  /** The day, in UTC. */
  date: string
  operation: string
  requests: number
  errors: number
}

export interface Day {
  day: string
  requests: number
  errors: number
  by_operation: Record<string, number>
}

export interface Usage {
  days: Day[]
}

/** The counts by day; a day without requests has zeros. */
export function usageByDay(days: readonly string[], counts: readonly Count[]): Day[] {
  const byDay = Map.groupBy(counts, ({ date }) => date)
  return days.map((day) => {
    const own = byDay.get(day) ?? []
    return {
      day,
      requests: own.reduce((sum, { requests }) => sum + requests, 0),
      errors: own.reduce((sum, { errors }) => sum + errors, 0),
      by_operation: Object.fromEntries(own.map(({ operation, requests }) => [operation, requests])),
    }
  })
}
