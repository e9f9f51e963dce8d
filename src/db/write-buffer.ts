/** Rows that are stored in lots, some seconds after what they tell of. */
import type { Sql, Statement } from './sql.ts'

/** The maximum size of a buffer. Beyond it nothing is kept. */
const MAX_ENTRIES = 20_000

/** A write buffer. `later` merges an entry into the one that the buffer has under the same id. */
export function writeBuffer<Entry>(
  sql: Sql,
  query: Statement,
  columns: ((entry: Entry) => unknown)[],
  later: (kept: Entry, entry: Entry) => void,
) {
  let entries = new Map<string, Entry>()
  const add = (id: string, entry: Entry): void => {
    const kept = entries.get(id)
    if (kept) later(kept, entry)
    else if (entries.size < MAX_ENTRIES) entries.set(id, entry)
  }
  const write = async (): Promise<void> => {
    const writing = entries
    if (writing.size === 0) return
    entries = new Map()
    const rows = [...writing.values()]
    try {
      await sql.rows(
        query,
        columns.map((column) => rows.map(column)),
      )
    } catch (error) {
      const since = entries
      entries = writing
      for (const [id, entry] of since) add(id, entry)
      throw error
    }
  }
  return { add, write }
}

/** Writes some seconds after `schedule`, and at once by `flush`, which rejects if the write fails. */
export function flushing(after_ms: number, write: () => Promise<void>) {
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    writing = writing.catch(() => {}).then(write)
    return writing
  }
  const schedule = (): void => {
    // The next flush writes what a failed one could not.
    timer ??= setTimeout(() => flush().catch(schedule), after_ms).unref()
  }
  return { schedule, flush }
}
