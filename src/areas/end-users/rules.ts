/** The rules of end users' tickets. */

/** Closed tickets are shown for so many times 24 hours. */
export const CLOSED_WINDOW_DAYS = 30

/** Each list has at most this many tickets. */
export const MAX_LISTED = 200

const DAY_MS = 86_400_000

interface Ticket {
  ticket_id: string
  updated_at: Date
  /** null: it is open. */
  closed_at: Date | null
}

export interface TicketLists<Listed extends Ticket> {
  state: 'OK' | 'NO_CONTACT'
  open: readonly Listed[]
  recently_closed: readonly Listed[]
}

/** The lists of an end user whom the PSA does not know. */
export const NO_CONTACT: TicketLists<never> = { state: 'NO_CONTACT', open: [], recently_closed: [] }

/** The latest first; of two at one instant the one with the greater id. */
const latestBy =
  <Listed extends Ticket>(instant: (ticket: Listed) => Date | null) =>
  (a: Listed, b: Listed): number =>
    Number(instant(b)) - Number(instant(a)) || (a.ticket_id < b.ticket_id ? 1 : -1)

/**
 * The lists as they are shown: open tickets, the last updated first, and those that were closed in the window, the last
 * closed first. A ticket that was closed or opened again between the two reads is in one list.
 */
export function ticketLists<Listed extends Ticket>(
  open: readonly Listed[],
  closed: readonly Listed[],
  now: Date,
): TicketLists<Listed> {
  const since = now.getTime() - CLOSED_WINDOW_DAYS * DAY_MS
  const still_open = open.filter(({ closed_at }) => closed_at === null)
  const known = new Set(still_open.map(({ ticket_id }) => ticket_id))
  const in_window = closed.filter(
    ({ ticket_id, closed_at }) => closed_at !== null && closed_at.getTime() > since && !known.has(ticket_id),
  )
  return {
    state: 'OK',
    open: still_open.toSorted(latestBy(({ updated_at }) => updated_at)).slice(0, MAX_LISTED),
    recently_closed: in_window.toSorted(latestBy(({ closed_at }) => closed_at)).slice(0, MAX_LISTED),
  }
}
