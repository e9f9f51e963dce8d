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

/** The end of what one statement has read: the last event that it went past, and how many it went past. */
export interface Scan {
  last: string | null
  count: number
}

/**
 * The end of a page: the event to go on after, also if no event of a stretch was for the caller. `rows` has one event
 * more than the page if there is one.
 */
export function endOfPage(
  rows: readonly { id: string }[],
  { after, size, scan, most }: { after: string; size: number; scan: Scan; most: number },
): { next_cursor: string; has_more: boolean } {
  const next = rows[size - 1]
  return rows.length > size && next
    ? { next_cursor: next.id, has_more: true }
    : { next_cursor: scan.last ?? after, has_more: scan.count === most }
}
