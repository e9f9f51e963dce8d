/** The buckets of a time series. */
import { startOf } from './timezone.ts'
import type { Window } from './window.ts'

export const GRANULARITIES = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const
export type Granularity = (typeof GRANULARITIES)[number]

const HOUR_MS = 60 * 60 * 1000

/** The start of the bucket after the one of the instant. */
// Contract silent: hours are those of UTC; days, weeks and months are those of the zone.
const nextStart = (instant: Date, granularity: Granularity, zone: string): Date =>
  granularity === 'HOUR'
    ? new Date((Math.floor(instant.getTime() / HOUR_MS) + 1) * HOUR_MS)
    : startOf(granularity, instant, zone, 1)

/**
 * The window cut at the hours, days, weeks or months of the zone: every bucket begins where the one before it ends, and
 * the first and the last one may be parts. An empty window has none.
 */
export function bucketsOf({ from, to }: Window, granularity: Granularity, zone: string): Window[] {
  const buckets: Window[] = []
  for (let start = from; start < to; ) {
    const next = nextStart(start, granularity, zone)
    const end = next < to ? next : to
    buckets.push({ from: start, to: end })
    start = end
  }
  return buckets
}
