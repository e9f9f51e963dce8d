/** Times as systems write them. */

/** The text with the zone UTC, if it has none. */
const inUtc = (text: string): string => (/(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? text : `${text}Z`)

const [FIRST, LAST] = [Date.UTC(1970, 0), Date.UTC(2200, 0)]

/** The time, of which none is before 1970, or so late that no database keeps it; else null. */
export const timeAt = (ms: number): Date | null => (ms >= FIRST && ms < LAST ? new Date(ms) : null)

/** null: the text is no such time. A time without a zone is UTC. */
export const timeOf = (text: string | null | undefined): Date | null => timeAt(Date.parse(inUtc(text ?? '')))

/** The time of an event, whatever its year: an event whose time cannot be stored is refused. null: the text is no time. */
export function timeOfEvent(text: string | null | undefined): Date | null {
  const at = new Date(inUtc(text ?? ''))
  return Number.isNaN(at.getTime()) ? null : at
}
