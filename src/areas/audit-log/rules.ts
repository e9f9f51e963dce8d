/** The rules of the audit log: its windows, and how much of a tool call is kept. */
import { bucketsOf } from '../../lib/buckets.ts'
import { storableText } from '../../lib/text.ts'
import { daysBefore } from '../../lib/time.ts'
import { localDate } from '../../lib/timezone.ts'
import { isPartlyGone, type OpenWindow, type Window } from '../../lib/window.ts'

/** The days for which each log can be read. */
export const RETENTION_DAYS = { audit_log: 30, activity_log: 400 } as const

export type Log = keyof typeof RETENTION_DAYS

/** The first instant that the log can be read from. */
export const keptFrom = (log: Log, now: Date): Date => daysBefore(now, RETENTION_DAYS[log])

/** The start of the window that is read: `from`, moved forward to the first instant that is kept. */
export function startOf(log: Log, from: unknown, now: Date): Date {
  const kept = keptFrom(log, now)
  return from instanceof Date && from > kept ? from : kept
}

/** A warning if the window begins or ends before the first instant that is kept. */
export function retentionWarnings(log: Log, window: OpenWindow, now: Date): string[] {
  const kept = keptFrom(log, now)
  if (!isPartlyGone(window, kept)) return []
  return [
    `window_retention: entries can be read for ${RETENTION_DAYS[log]} days, from ${kept.toISOString()} on`,
  ]
}

export const MAX_TEXT = 2000
const MAX_ITEMS = 100
const MAX_DEPTH = 20
const MAX_ARGUMENT_BYTES = 16 * 1024
const ELLIPSIS = '…'

/** Text that PostgreSQL stores, of at most 2,000 characters. */
export function storedText(text: string): string {
  const kept = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT - 1) + ELLIPSIS : text
  return storableText(kept)
}

interface Shortened {
  value: unknown
  truncated: boolean
}

// Contract silent: long texts, long lists and deep nesting are cut; arguments that are still over 16 KiB are kept as their size.
/** The arguments as they are stored, and whether something is missing. */
export function storedArguments(given: unknown): Shortened {
  let truncated = false
  function cut<Value>(value: Value): Value {
    truncated = true
    return value
  }
  function shorten(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return value.length > MAX_TEXT ? cut(storedText(value)) : storedText(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth === MAX_DEPTH) return cut(ELLIPSIS)
    if (!Array.isArray(value)) {
      const entries = Object.entries(value)
      return Object.fromEntries(
        entries.map(([name, inner]) => [storedText(name), shorten(inner, depth + 1)] as const),
      )
    }
    const items = value.slice(0, MAX_ITEMS).map((item) => shorten(item, depth + 1))
    return value.length > MAX_ITEMS ? cut(items) : items
  }
  const value = shorten(given ?? {}, 0)
  const bytes = Buffer.byteLength(JSON.stringify(value))
  return bytes > MAX_ARGUMENT_BYTES ? { value: { bytes }, truncated: true } : { value, truncated }
}

export type GroupBy = 'TOOL' | 'AGENT' | 'SYSTEM' | 'OUTCOME' | 'DAY'

/** Numbers of tool calls. */
export interface Counts {
  total: number
  succeeded: number
  /** FAILED and TIMED_OUT. */
  failed: number
  denied: number
}

/** The window that is counted: by default up to now, and as far back as entries are kept. */
export function countedWindow({ from, to }: OpenWindow, now: Date): Window {
  const end = to ?? now
  const start = startOf('audit_log', from, now)
  return { from: start < end ? start : end, to: end }
}

const sum = (one: Counts, other: Counts): Counts => ({
  total: one.total + other.total,
  succeeded: one.succeeded + other.succeeded,
  failed: one.failed + other.failed,
  denied: one.denied + other.denied,
})

const NOTHING: Counts = { total: 0, succeeded: 0, failed: 0, denied: 0 }

/** The calls of each day of the window in the zone, the earliest first, from those of quarters of an hour. */
export function byDay(
  window: Window,
  zone: string,
  quarters: readonly (Counts & { key: Date })[],
): (Counts & { key: string })[] {
  const days = bucketsOf(window, 'DAY', zone)
  const first = days[0]
  const ofDay = Map.groupBy(
    quarters,
    // The first quarter may begin before the window does.
    ({ key }) => days.findLast(({ from }) => from <= key) ?? first,
  )
  return days.map((day) => ({
    key: localDate(day.from, zone),
    ...(ofDay.get(day) ?? []).reduce<Counts>(sum, NOTHING),
  }))
}
