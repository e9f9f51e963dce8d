/** The rules of performance. */
import { startOf } from '../../lib/timezone.ts'
import type { Window } from '../../lib/window.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const QUARTER_MS = 15 * 60 * 1000

/** The days for which executions, credits and tickets are kept. */
export const RETENTION_DAYS = 400

/** The window that is asked for: by default up to now, and from the beginning of the month. */
export const windowOf = (from: Date | null, to: Date | null, now: Date, zone: string): Window => ({
  from: from ?? startOf('MONTH', now, zone),
  to: to ?? now,
})

const quarterOf = (instant: Date): Date => new Date(Math.floor(instant.getTime() / QUARTER_MS) * QUARTER_MS)

/** The instant from which executions, credits and tickets are kept. */
// Contract silent: at least the previous calendar month of tickets is kept; all three are kept for 400 days.
export const keptFrom = (now: Date): Date => quarterOf(new Date(now.getTime() - RETENTION_DAYS * DAY_MS))

/** The part of the window that starts at `instant` or later; empty if the window ends before. */
export function since({ from, to }: Window, instant: Date): Window {
  const start = from < instant ? instant : from
  return { from: start < to ? start : to, to }
}

// Contract silent: tickets received are counted in quarters of an hour, at which the days of every zone begin.
/** The quarters of an hour of a window: each bound at the start of its quarter; up to now, the one under way too. */
export const quartersOf = ({ from, to }: Window, up_to_now: boolean): Window => ({
  from: quarterOf(from),
  to: up_to_now ? to : quarterOf(to),
})

/** The whole days of a window, in UTC; if it has none, they are empty and at its end. */
export function wholeDaysOf({ from, to }: Window): Window {
  const first = new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS)
  const end = new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS)
  return first < end ? { from: first, to: end } : { from: to, to }
}

/** The day in UTC. */
export const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10)

/** The figures of executions and credits. They are sums: those of all agents add up, and those of all parts of a window. */
export interface Figures {
  credits_consumed: number
  total_executions: number
  successful_executions: number
  failed_executions: number
  fully_resolved_executions: number
  partially_resolved_executions: number
  total_hours_saved: number
  total_seconds_spent: number
}

export interface Totals extends Figures {
  total_tickets_received: number
  unique_tickets: number
  earliest_execution_at: Date | null
  earliest_time_entry_at: Date | null
}

export type Nullable<Row> = { [Name in keyof Row]: Row[Name] | null }

/** The sums, with 0 for those over no rows. */
export const figuresOf = (sums: Partial<Nullable<Figures>>): Figures => ({
  credits_consumed: sums.credits_consumed ?? 0,
  total_executions: sums.total_executions ?? 0,
  successful_executions: sums.successful_executions ?? 0,
  failed_executions: sums.failed_executions ?? 0,
  fully_resolved_executions: sums.fully_resolved_executions ?? 0,
  partially_resolved_executions: sums.partially_resolved_executions ?? 0,
  total_hours_saved: sums.total_hours_saved ?? 0,
  total_seconds_spent: sums.total_seconds_spent ?? 0,
})

/** The totals, with 0 for sums over no rows. */
export const withZeros = (totals: Nullable<Totals>): Totals => ({
  ...figuresOf(totals),
  total_tickets_received: totals.total_tickets_received ?? 0,
  unique_tickets: totals.unique_tickets ?? 0,
  earliest_execution_at: totals.earliest_execution_at,
  earliest_time_entry_at: totals.earliest_time_entry_at,
})

// Contract silent: everything but credits is zero of chat agents, and null if it is a date.
export const chatTotals = ({ credits_consumed }: Totals): Totals => ({
  ...figuresOf({ credits_consumed }),
  total_tickets_received: 0,
  unique_tickets: 0,
  earliest_execution_at: null,
  earliest_time_entry_at: null,
})

interface Covered {
  /** The window that was asked for. */
  window: Window
  /** The start of the retained part. */
  kept_from: Date
  /** The quarters of an hour whose tickets are counted; null if none are. */
  tickets: Window | null
}

/** The warning that the figures do not cover the whole window. */
export const retentionWarnings = ({ from }: Window, kept_from: Date): string[] =>
  from < kept_from
    ? [`window_retention: totals cover the last ${RETENTION_DAYS} days, from ${kept_from.toISOString()} on`]
    : []

/** The warnings of totals that do not cover the whole window. */
export function warningsOf({ window, kept_from, tickets }: Covered): string[] {
  const warnings = retentionWarnings(window, kept_from)
  if (tickets === null) {
    warnings.push(
      'conversational_agents: agents of this kind have credits only; everything else is 0 or null',
    )
    return warnings
  }
  const { from } = since(window, kept_from)
  if (tickets.from < from || tickets.to < window.to) {
    const [start, end] = [tickets.from.toISOString(), tickets.to.toISOString()]
    warnings.push(`tickets_received_by_quarter: total_tickets_received is counted from ${start} to ${end}`)
  }
  return warnings
}
