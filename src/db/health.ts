/** The health of the database. It is asked once a second at most, however many requests want to know. */
import { cachedFor } from '../lib/cached-for.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Database } from './database.ts'

export interface Pulse {
  answered: boolean
  /** Milliseconds until it answered or was given up. */
  latency_ms: number
}

const PATIENCE_MS = 1000
const REMEMBERED_MS = 1000

async function take(database: Database): Promise<Pulse> {
  const started = performance.now()
  const answered = await withTimeout(
    PATIENCE_MS,
    database.ping(),
    () => new Error('The database does not answer.'),
  ).then(
    () => true,
    () => false,
  )
  return { answered, latency_ms: Math.round((performance.now() - started) * 100) / 100 }
}

const pulses = new WeakMap<Database, () => Promise<Pulse>>()

export function pulseOf(database: Database): Promise<Pulse> {
  const pulse = pulses.get(database) ?? cachedFor(REMEMBERED_MS, () => take(database))
  pulses.set(database, pulse)
  return pulse()
}
