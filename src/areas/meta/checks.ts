/** Asks what the service needs whether it answers. */
import type { Database } from '../../db/database.ts'
import { within } from '../../graphql/deadline.ts'
import { type Check, healthOf } from './rules.ts'

/** How long to wait for an answer, and how long one is good for. */
const PATIENCE_MS = 1000
const GOOD_MS = 1000

async function ask(database: Database): Promise<Check> {
  const started = performance.now()
  const answered = await within(PATIENCE_MS, database.ping()).then(
    () => true,
    () => false,
  )
  const latency_ms = Math.round((performance.now() - started) * 100) / 100
  return { status: healthOf(answered, latency_ms), latency_ms }
}

const latest = new WeakMap<Database, { until: number; check: Promise<Check> }>()

/** How the database is: asked once a second at most, however many want to know. */
export function databaseCheck(database: Database): Promise<Check> {
  const known = latest.get(database)
  if (known && performance.now() < known.until) return known.check
  const check = ask(database)
  latest.set(database, { until: performance.now() + GOOD_MS, check })
  return check
}
