/** The rules of answers to feedback links. */

/** The most characters of a comment. */
export const MAX_COMMENT = 4000

/** Answers that are accepted in an hour. */
export const ACCEPTED_AN_HOUR = 10

/** The hours for which a link is taken, unless the caller says otherwise. */
export const LINK_HOURS = 336

export const HOUR_MS = 3_600_000

/** The hours after the first answer in which another one replaces it. */
const OPEN_HOURS = 24

/** The answers of the last hour. */
export const inLastHour = (accepted_at: readonly Date[], now: Date): Date[] =>
  accepted_at.filter((at) => at.getTime() > now.getTime() - HOUR_MS)

/** The instant from which an answer can no longer be replaced: the end of the link at the latest. null: nobody has answered. */
export function closesAt({
  submitted_at,
  expires_at,
}: {
  submitted_at: Date | null
  expires_at: Date
}): Date | null {
  if (submitted_at === null) return null
  return new Date(Math.min(submitted_at.getTime() + OPEN_HOURS * HOUR_MS, expires_at.getTime()))
}

/** The words of an end user as they are stored; null: there are none. */
export function commentOf(text: string | null | undefined): string | null {
  const trimmed = text?.trim() ?? ''
  return trimmed === '' ? null : trimmed
}
