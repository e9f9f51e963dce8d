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
})
export type Cursor = z.infer<typeof Cursor>

/** A PSA may store a change under a time that is already past: each look begins so long before the end of the last. */
const OVERLAP_MS = 120_000

/** PSAs keep seconds: within so long another change may come that has the same time. */
const SETTLED_MS = 10_000

/** No clock is further ahead than this. One wrong time must not hide what changes after it. */
const MAX_AHEAD_MS = 600_000

/** The cursor to begin with: what changed before the PSA was connected is no event. */
export const cursorFrom = (stored: Cursor | undefined, connected_at: Date): Cursor =>
  stored && stored.since >= connected_at.getTime() ? stored : { since: connected_at.getTime(), told: {} }

export const changedSince = ({ since }: Cursor): Date => new Date(since - OVERLAP_MS)

/** The changes that were not told before. */
export const untold = <Row extends Change>({ told }: Cursor, changes: readonly Row[]): Row[] =>
  changes.filter(({ entity_id, changed_at }) => told[entity_id] !== changed_at.getTime())

/** The cursor after the changes, which come in the order of their times. */
export function advanced(cursor: Cursor, changes: readonly Change[], now: Date): Cursor {
  const latest = Math.max(cursor.since, ...changes.slice(-1).map(({ changed_at }) => changed_at.getTime()))
  const since = Math.max(cursor.since, Math.min(latest, now.getTime() + MAX_AHEAD_MS))
  const settled = changes.filter(({ changed_at }) => now.getTime() - changed_at.getTime() >= SETTLED_MS)
  const told = [
    ...Object.entries(cursor.told),
    ...settled.map(({ entity_id, changed_at }) => [entity_id, changed_at.getTime()] as const),
  ].filter(([, at]) => at >= since - OVERLAP_MS)
  return { since, told: Object.fromEntries(told) }
}
