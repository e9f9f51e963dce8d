/** The health of the database. It is asked once a second at most, however many requests want to know. */
import { cachedFor } from '../lib/cached-for.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Database } from './database.ts'

export interface PingResult {
  answered: boolean
  /** Milliseconds until the answer or the timeout. */
  latency_ms: number
}

const TIMEOUT_MS = 1000
const CACHED_MS = 1000

async function ping(database: Database, elapsed: () => number): Promise<PingResult> {
  const started = elapsed()
  const answered = await withTimeout(
    TIMEOUT_MS,
    database.ping(),
    () => new Error('The database does not answer.'),
  ).then(
    () => true,
    () => false,
  )
  return { answered, latency_ms: Math.round((elapsed() - started) * 100) / 100 }
}

export const createPing = (
  database: Database,
  elapsed = () => performance.now(),
): (() => Promise<PingResult>) => cachedFor(CACHED_MS, () => ping(database, elapsed))
