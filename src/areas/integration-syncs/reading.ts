/** The part of a system that a sync reads: everything, or what has changed. */
import type { SystemKind } from '../../connectors/systems.ts'

/** The kinds of systems that do not tell what has changed, and of which each sync reads everything. */
const READ_WHOLE: readonly SystemKind[] = ['RMM']

/** The longest time for which changes alone are read: a day. */
const FULL_EVERY_MS = 86_400_000

/** Time that a later sync reads again: clocks differ, and changes may have the time of their transaction's beginning. */
const OVERLAP_MS = 300_000

interface Reading {
  /** The start of the latest sync that has read the system to its end, and of the latest full one of them. */
  last: Date | null
  last_full: Date | null
  /** True if everything is asked for. */
  full: boolean
  now: Date
}

/**
 * The instant from which a sync reads changes; null if it reads everything: if that is asked for, if no sync has read the
 * system to its end, or if the last full one that did began a day ago or earlier.
 */
export function changedSince({ last, last_full, full, now }: Reading): Date | null {
  if (full || !last || !last_full) return null
  if (now.getTime() - last_full.getTime() >= FULL_EVERY_MS) return null
  return new Date(last.getTime() - OVERLAP_MS)
}

/** The part of a system of the kind that a sync reads. */
export const readingOf = (
  kind: SystemKind,
  reading: Reading,
): { is_full: boolean; changed_since: Date | null } =>
  READ_WHOLE.includes(kind)
    ? { is_full: true, changed_since: null }
    : { is_full: reading.full, changed_since: changedSince(reading) }
