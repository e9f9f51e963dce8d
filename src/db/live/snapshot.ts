/**
 * Snapshots of the database, as `pg_current_snapshot()` writes them: `xmin:xmax:xip,…`. They say which transactions had
 * committed or rolled back. Each snapshot has seen whatever an earlier one has.
 */

interface Snapshot {
  /** Every transaction before it had ended. */
  xmin: number
  /** No transaction from it on had begun. */
  xmax: number
  /** The transactions in between that were under way. */
  running: ReadonlySet<number>
}

const SNAPSHOT = /^(\d{1,16}):(\d{1,16}):((?:\d{1,16}(?:,\d{1,16})*)?)$/

/** The least id that a transaction can have. */
const FIRST_TRANSACTION = 3

/** The snapshot in the text; null if it is none. */
export function parseSnapshot(text: string): Snapshot | null {
  const [, xmin, xmax, running] = SNAPSHOT.exec(text) ?? []
  if (xmin === undefined || xmax === undefined || running === undefined) return null
  const ids = running === '' ? [] : running.split(',').map(Number)
  return { xmin: Number(xmin), xmax: Number(xmax), running: new Set(ids) }
}

/** The snapshot that the database has written. */
export function snapshotOf(text: string): Snapshot {
  const snapshot = parseSnapshot(text)
  if (!snapshot) throw new Error(`${text} is no snapshot`)
  return snapshot
}

/**
 * The snapshot as if the transactions from `end` on had not begun. After a crash PostgreSQL gives the ids of transactions
 * again of which nothing had reached the disk: of those that were rolled back, or committed asynchronously. What is kept
 * of a snapshot ends after the last transaction whose commit has been seen to be stored.
 */
export function snapshotUpTo(text: string, end: number): string {
  const snapshot = snapshotOf(text)
  const xmax = Math.min(snapshot.xmax, Math.max(end, FIRST_TRANSACTION))
  const running = [...snapshot.running].filter((id) => id < xmax)
  return `${Math.min(snapshot.xmin, xmax)}:${xmax}:${running.join()}`
}

/** True if the transaction had ended when the snapshot was taken. */
export const hasSeen = ({ xmin, xmax, running }: Snapshot, transaction_id: number): boolean =>
  transaction_id < xmin || (transaction_id < xmax && !running.has(transaction_id))

/** True if every transaction that was going on at the snapshot `then` had ended by the snapshot `now`. */
export const allEnded = (then: string, now: string): boolean => snapshotOf(now).xmin >= snapshotOf(then).xmax

/** True if the first of two snapshots of one database was taken later, as far as what they have seen differs. */
export const isLater = (one: Snapshot, other: Snapshot): boolean =>
  one.xmax === other.xmax ? one.running.size < other.running.size : one.xmax > other.xmax

export type { Snapshot }
