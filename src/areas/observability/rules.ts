/** The rules of observability. */
import type { Granularity } from '../../lib/buckets.ts'
import { percentage } from '../../lib/percentage.ts'
import { daysBefore } from '../../lib/time.ts'

/** A half-open interval: `until` is not in it. */
export interface ObservedWindow {
  since: Date
  until: Date
}

const DAY_SECONDS = 86_400

/** The longest window of raw figures, in seconds. */
export const MAX_SECONDS = 7 * DAY_SECONDS

/** The window that is asked for: by default up to now, and the 24 hours before its end. */
export function windowOf(since: Date | null, until: Date | null, now: Date): ObservedWindow {
  const end = until ?? now
  return { since: since ?? daysBefore(end, 1), until: end }
}

/** The warning that the window begins before the figures do, which are kept for that many days. */
export function retentionWarnings({ since }: ObservedWindow, now: Date, days: number): string[] {
  const kept_from = daysBefore(now, days)
  if (since >= kept_from) return []
  return [`window_retention: figures cover the last ${days} days, from ${kept_from.toISOString()} on`]
}

// Contract silent: executions are kept for longer than a month, but a window of them is read row by row.
/** The longest window in buckets of each size, in seconds. */
export const maxSecondsOf = (granularity: Granularity): number =>
  granularity === 'HOUR' ? MAX_SECONDS : 31 * DAY_SECONDS

/** The figures of a funnel as they are read. */
export interface FunnelFigures {
  received: number
  filtered_out: number
  processed: number
  failed: number
  in_flight: number
  unique_entities: number
  webhook_delivery_p95_seconds: number
  /** Callbacks by the codes of their changes; a code without callbacks may be missing. */
  by_change_type: Readonly<Record<string, number>>
  exhausted_count: number
  max_wait_seconds: number
  p95_wait_seconds: number
  limited_count: number
  max_limit_wait_seconds: number
  p95_limit_wait_seconds: number
  p95_actual_work_seconds: number
  p95_configured_sleep_seconds: number
  p95_total_duration_seconds: number
  psa_calls: number
  psa_failures: number
  p95_psa_wait_seconds: number
  /** Matches of an agent with a callback. */
  evaluated: number
  finished: number
}

/** The groups of a funnel, with a count for every code of the catalogue. */
export const funnelOf = <Code extends string>(figures: FunnelFigures, codes: readonly Code[]) => ({
  callbacks: {
    received: figures.received,
    filtered_out: figures.filtered_out,
    processed: figures.processed,
    failed: figures.failed,
    in_flight: figures.in_flight,
    unique_entities: figures.unique_entities,
    webhook_delivery_p95_seconds: figures.webhook_delivery_p95_seconds,
    by_change_type: Object.fromEntries(
      codes.map((code) => [code, figures.by_change_type[code] ?? 0]),
    ) as Record<Code, number>,
  },
  concurrency_cap: {
    exhausted_count: figures.exhausted_count,
    max_wait_seconds: figures.max_wait_seconds,
    p95_wait_seconds: figures.p95_wait_seconds,
  },
  events_processed: {
    count: figures.processed,
    p95_actual_work_seconds: figures.p95_actual_work_seconds,
    p95_configured_sleep_seconds: figures.p95_configured_sleep_seconds,
    p95_total_duration_seconds: figures.p95_total_duration_seconds,
  },
  psa_api: {
    calls: figures.psa_calls,
    failures: figures.psa_failures,
    p95_wait_seconds: figures.p95_psa_wait_seconds,
    limited_count: figures.limited_count,
    max_limit_wait_seconds: figures.max_limit_wait_seconds,
    p95_limit_wait_seconds: figures.p95_limit_wait_seconds,
  },
  workflows_triggered: {
    finished: figures.finished,
    useful_vs_evaluated_ratio_pct: percentage(figures.finished, figures.evaluated),
  },
})
