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

async function ping(database: Database): Promise<PingResult> {
  const started = performance.now()
  const answered = await withTimeout(
    TIMEOUT_MS,
    database.ping(),
    () => new Error('The database does not answer.'),
  ).then(
    () => true,
    () => false,
  )
  return { answered, latency_ms: Math.round((performance.now() - started) * 100) / 100 }
}

const pulses = new WeakMap<Database, () => Promise<PingResult>>()

export function recentPing(database: Database): Promise<PingResult> {
  const pulse = pulses.get(database) ?? cachedFor(CACHED_MS, () => ping(database))
  pulses.set(database, pulse)
  return pulse()
}
