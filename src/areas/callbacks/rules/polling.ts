/** The place up to which a PSA was asked for what changed. */
import { z } from 'zod'

/** An entity that changed, by the PSA's clock. */
interface Change {
  entity_id: string
  changed_at: Date
}

export const Cursor = z.object({
  /** In milliseconds, as all: the latest change that was told. */
  since: z.number(),
  /** The changes of the minutes before it that were told, by the ids of the entities. */
  told: z.record(z.string(), z.number()),
  /** The changes that were told in an hour, which is counted from 1970. */
  counted: z.object({ hour: z.number(), changes: z.number() }).optional(),
})
export type Cursor = z.infer<typeof Cursor>

/** A PSA may store a change under a time that is already past: each look begins so long before the end of the last. */
const OVERLAP_MS = 120_000

/** PSAs keep seconds: within so long another change may come that has the same time. */
const SETTLED_MS = 10_000

const HOUR_MS = 3_600_000

const hourOf = (now: Date): number => Math.floor(now.getTime() / HOUR_MS)

/** The changes of a kind that may still be told in this hour. */
export const roomOf = ({ counted }: Cursor, most: number, now: Date): number =>
  counted?.hour === hourOf(now) ? Math.max(0, most - counted.changes) : most

/** The cursor to begin with: what changed before the PSA was connected is no event. */
export const cursorFrom = (stored: Cursor | undefined, connected_at: Date): Cursor =>
  stored && stored.since >= connected_at.getTime()
    ? stored
    : { ...stored, since: connected_at.getTime(), told: {} }

export const changedSince = ({ since }: Cursor): Date => new Date(since - OVERLAP_MS)

/** The changes that were not told before. */
export const untold = <Row extends Change>({ told }: Cursor, changes: readonly Row[]): Row[] =>
  changes.filter(({ entity_id, changed_at }) => told[entity_id] !== changed_at.getTime())

/** The first changes, of which no more than `room` were not told before. */
export function withinRoom<Row extends Change>(
  cursor: Cursor,
  changes: readonly Row[],
  room: number,
): readonly Row[] {
  const over = untold(cursor, changes)[room]
  return over ? changes.slice(0, changes.indexOf(over)) : changes
}

/** The latest changes that a cursor remembers. Of a change that it forgets, the next look may tell again. */
const MAX_TOLD = 10_000

/**
 * The cursor after the changes, which come in the order of their times. A time that is yet to come counts as now. Such a change
 * is in every look until its time has come: it is told once.
 */
export function advanced(cursor: Cursor, changes: readonly Change[], now: Date): Cursor {
  const latest = Math.max(cursor.since, ...changes.slice(-1).map(({ changed_at }) => changed_at.getTime()))
  const since = Math.min(latest, now.getTime())
  const settled = changes.filter(
    ({ changed_at }) => Math.abs(now.getTime() - changed_at.getTime()) >= SETTLED_MS,
  )
  const told = [
    ...Object.entries(cursor.told),
    ...settled.map(({ entity_id, changed_at }) => [entity_id, changed_at.getTime()] as const),
  ]
    .filter(([, at]) => at >= since - OVERLAP_MS)
    .slice(-MAX_TOLD)
  const hour = hourOf(now)
  const before = cursor.counted?.hour === hour ? cursor.counted.changes : 0
  const counted = { hour, changes: before + untold(cursor, changes).length }
  return { since, told: Object.fromEntries(told), counted }
}
