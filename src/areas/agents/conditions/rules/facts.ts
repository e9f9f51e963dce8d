/** The facts of tickets and time entries of the PSA that conditions are judged by. */
import type { FactsOf } from './matching.ts'

/** The part of a ticket that conditions know. */
export interface ConditionTicket {
  title: string
  description: string | null
  status: string
  priority: string | null
  board: string | null
  type: string | null
  category: string | null
  assignee_psa_id: number | null
  created_at: Date
}

/** The names behind the ids of a ticket; null if there is no such person, or the PSA does not know them any more. */
export interface TicketNames {
  company: string | null
  contact: string | null
  assignee: string | null
}

const HOUR_MS = 3_600_000

// Contract silent: the queue of a ticket is its board. The source and tags of a ticket, and who is a VIP, are not known
// of the PSA.
export const ticketFacts = (
  ticket: ConditionTicket,
  names: TicketNames,
  now: Date,
): FactsOf<'ticket_conditions'> => ({
  board: ticket.board,
  queue: ticket.board,
  status: ticket.status,
  priority: ticket.priority,
  type: ticket.type,
  category: ticket.category,
  source: null,
  subject: ticket.title,
  description: ticket.description,
  ...names,
  tag: null,
  age_hours: Math.max(0, now.getTime() - ticket.created_at.getTime()) / HOUR_MS,
  is_vip: null,
  is_assigned: ticket.assignee_psa_id !== null,
})

/** The part of a time entry that conditions know. */
export interface ConditionTimeEntry {
  minutes: number
  note: string | null
  agreement: string | null
}

/** The names that conditions on a time entry know: those of its ticket, and its technician. */
export interface TimeEntryNames {
  board: string | null
  company: string | null
  technician: string | null
}

// Contract silent: the work type and the billing of a time entry are not known of the PSA.
export const timeEntryFacts = (
  { minutes, note, agreement }: ConditionTimeEntry,
  names: TimeEntryNames,
): FactsOf<'time_entry_conditions'> => ({
  ...names,
  work_type: null,
  agreement,
  note,
  minutes,
  is_billable: null,
})
