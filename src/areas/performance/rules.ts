/** The rules of performance. */
import { startOfMonth } from '../../lib/timezone.ts'
import type { Window } from '../../lib/window.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_DAYS = 400
const TICKET_DAYS = 400

/** The longest window. */
export const MAX_SECONDS = (MAX_DAYS * DAY_MS) / 1000

/** The window that is asked for: up to now, and from the beginning of the month, where nothing else is said. */
export const windowOf = (from: Date | null, to: Date | null, now: Date, zone: string): Window => ({
  from: from ?? startOfMonth(now, zone),
  to: to ?? now,
})

/** A window as three that follow each other: whole days in UTC, and what is before and after them. */
export interface Parts {
  head: Window
  days: Window
  tail: Window
}

/** Where the window has no whole day, all of it is before them. */
export function partsOf({ from, to }: Window): Parts {
  const first = new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS)
  const end = new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS)
  const days = first < end ? { from: first, to: end } : { from: to, to }
  return { head: { from, to: days.from }, days, tail: { from: days.to, to } }
}

/** The day in UTC. */
export const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10)

// Contract silent: at least the previous calendar month is kept; 400 days are, as long as the longest window.
/** From when on the tickets received in the window are known. */
export function ticketsKnownFrom({ from }: Window, now: Date): Date {
  const kept_from = new Date(now.getTime() - TICKET_DAYS * DAY_MS)
  return from < kept_from ? kept_from : from
}

export interface Totals {
  credits_consumed: number
  total_executions: number
  successful_executions: number
  failed_executions: number
  fully_resolved_executions: number
  partially_resolved_executions: number
  total_hours_saved: number
  total_seconds_spent: number
  total_tickets_received: number
  unique_tickets: number
  earliest_execution_at: Date | null
  earliest_time_entry_at: Date | null
}

/** Where nothing was summed up there is nothing: zero. */
export const withZeros = (totals: { [Name in keyof Totals]: Totals[Name] | null }): Totals => ({
  credits_consumed: totals.credits_consumed ?? 0,
  total_executions: totals.total_executions ?? 0,
  successful_executions: totals.successful_executions ?? 0,
  failed_executions: totals.failed_executions ?? 0,
  fully_resolved_executions: totals.fully_resolved_executions ?? 0,
  partially_resolved_executions: totals.partially_resolved_executions ?? 0,
  total_hours_saved: totals.total_hours_saved ?? 0,
  total_seconds_spent: totals.total_seconds_spent ?? 0,
  total_tickets_received: totals.total_tickets_received ?? 0,
  unique_tickets: totals.unique_tickets ?? 0,
  earliest_execution_at: totals.earliest_execution_at,
  earliest_time_entry_at: totals.earliest_time_entry_at,
})

// Contract silent: chat agents have no executions, so that everything of executions is zero for them, and null where
// it is a date. The PSA receives tickets whatever the agents do: those are counted as ever.
export const ofChats = ({ credits_consumed, total_tickets_received }: Totals): Totals => ({
  credits_consumed,
  total_executions: 0,
  successful_executions: 0,
  failed_executions: 0,
  fully_resolved_executions: 0,
  partially_resolved_executions: 0,
  total_hours_saved: 0,
  total_seconds_spent: 0,
  total_tickets_received,
  unique_tickets: 0,
  earliest_execution_at: null,
  earliest_time_entry_at: null,
})

/** What the caller should know of the numbers. */
export function remarks({ from }: Window, known_from: Date, only_chats: boolean): string[] {
  const late =
    `tickets_received_incomplete: ticket counts are kept for ${TICKET_DAYS} days, so ` +
    `total_tickets_received begins at ${known_from.toISOString()}`
  const chats =
    'conversational_agents: agents of this kind have no executions, so only credits_consumed is of them'
  return [...(from < known_from ? [late] : []), ...(only_chats ? [chats] : [])]
}
