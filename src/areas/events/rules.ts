/** The types that callers choose, and the pages of the feed. */

/** The position before the first event of a feed. */
export const BEFORE_FIRST = `evt_${'0'.repeat(32)}`

/** True if the type is one of those that the pattern names: `*`, `subject.*` or a type. */
const fits = (pattern: string, type: string): boolean =>
  pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))

/** The types that the patterns name, and the patterns that name none. */
export function typesOf(
  patterns: readonly string[],
  types: readonly string[],
): { chosen: string[]; unknown: string[] } {
  return {
    chosen: types.filter((type) => patterns.some((pattern) => fits(pattern, type))),
    unknown: patterns.filter((pattern) => !types.some((type) => fits(pattern, type))),
  }
}

/** The stretch of the feed that a page is read of: its last event, and true if there are events after it. */
export interface Stretch {
  last: string | null
  goes_on: boolean
}

/**
 * The end of a page: the event to go on after, also if no event of the stretch is for the caller. `rows` has one event more
 * than the page if there is one.
 */
export function endOfPage(
  rows: readonly { event_id: string }[],
  { after, size, stretch }: { after: string; size: number; stretch: Stretch },
): { next_cursor: string; has_more: boolean } {
  const last = rows[size - 1]
  return rows.length > size && last
    ? { next_cursor: last.event_id, has_more: true }
    : { next_cursor: stretch.last ?? after, has_more: stretch.goes_on }
}
