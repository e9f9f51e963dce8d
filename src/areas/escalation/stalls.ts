/** The rules of stalled tickets: which tickets the PSA is asked for, and which policies hold for one as it was read. */

interface Policy {
  is_default: boolean
  agent_ids: readonly number[]
  /** null: TICKET_STALLED is no trigger. */
  stalled_minutes: number | null
  stalled_statuses: readonly string[]
}

interface Ticket {
  status: string
  updated_at: Date
  /** null: the ticket is open. */
  closed_at: Date | null
}

const MINUTE_MS = 60_000

/** A ticket that nobody touched since then is stalled. */
const lastTouch = (stalled_minutes: number, now: Date): Date =>
  new Date(now.getTime() - stalled_minutes * MINUTE_MS)

/** The tickets that can be stalled by the policy: those in a status, not touched since an instant. */
export function limitsOf(
  { is_default, agent_ids, stalled_minutes, stalled_statuses }: Policy,
  now: Date,
): { status: string; before: Date; agent_ids: readonly number[] | null }[] {
  if (stalled_minutes === null) return []
  const before = lastTouch(stalled_minutes, now)
  const is_for_all = is_default || agent_ids.length === 0
  return stalled_statuses.map((status) => ({ status, before, agent_ids: is_for_all ? null : agent_ids }))
}

/** True if the ticket is stalled by the policy, whoever worked on it. */
export const isStalledBy = (
  { stalled_minutes, stalled_statuses }: Policy,
  { status, updated_at, closed_at }: Ticket,
  now: Date,
): boolean =>
  stalled_minutes !== null &&
  closed_at === null &&
  stalled_statuses.includes(status) &&
  updated_at.getTime() <= lastTouch(stalled_minutes, now).getTime()
