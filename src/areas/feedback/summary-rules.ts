/** The rules of the summary of feedback. */
import { percentage } from '../../lib/percentage.ts'
import { daysBefore } from '../../lib/time.ts'
import { isPartlyGone, type OpenWindow, type Window } from '../../lib/window.ts'

/** The days for which feedback is kept. */
export const RETENTION_DAYS = 400

/** The longest window, in seconds. */
export const MAX_SECONDS = RETENTION_DAYS * 24 * 60 * 60

const DEFAULT_DAYS = 30

/** The window that is asked for: by default up to now, and the 30 days before its end. */
export function windowOf({ from, to }: OpenWindow, now: Date): Window {
  const end = to ?? now
  return { from: from ?? daysBefore(end, DEFAULT_DAYS), to: end }
}

/** A warning if the window begins or ends before the first instant from which feedback is kept. */
export function retentionWarnings(window: OpenWindow, now: Date): string[] {
  const kept_from = daysBefore(now, RETENTION_DAYS)
  if (!isPartlyGone(window, kept_from)) return []
  return [
    `window_retention: figures cover the last ${RETENTION_DAYS} days, from ${kept_from.toISOString()} on`,
  ]
}

export type GroupBy = 'AGENT' | 'COMPANY' | 'DAY'

/** Numbers of links, and of the ratings that were given by them. */
export interface Counts {
  positive: number
  neutral: number
  negative: number
  sent_count: number
}

export const NOTHING: Counts = { positive: 0, neutral: 0, negative: 0, sent_count: 0 }

/** Of links without an agent or a company. */
export const LABELS_WITHOUT: Readonly<Record<Exclude<GroupBy, 'DAY'>, string>> = {
  AGENT: 'No agent',
  COMPANY: 'No company',
}

export const responsesOf = ({ positive, neutral, negative }: Counts): number => positive + neutral + negative

export const responseRateOf = (counts: Counts): number => percentage(responsesOf(counts), counts.sent_count)

export const csatOf = (counts: Counts): number => percentage(counts.positive, responsesOf(counts))
