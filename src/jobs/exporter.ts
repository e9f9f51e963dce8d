/**
 * The figures that are the environment's, such as the load of its queues, are the same whatever process reads them. One
 * process at a time exports them, so that the sum over all processes is right.
 */
import { randomUUID } from 'node:crypto'
import { type Sql, statement } from '../db/sql.ts'
import { cachedFor } from '../lib/cached-for.ts'

// Longer than the interval at which Prometheus asks; afterwards another process that is asked takes over.
const CLAIM = statement(
  'metrics.claim',
  `insert into metrics_exporter as current (environment, process, expires_at)
   values ($1, $2, now() + interval '2 minutes')
   on conflict (environment) do update set process = excluded.process, expires_at = excluded.expires_at
   where current.process = excluded.process or current.expires_at < now()
   returning true as mine`,
)
const RELEASE = statement(
  'metrics.release',
  'delete from metrics_exporter where environment = $1 and process = $2',
)

const ASKED_MS = 1_000

interface MetricsExporter {
  /** True if this process exports the figures; it asks once a second at most. */
  isMine(): Promise<boolean>
  /** Lets another process take over at once. */
  release(): Promise<void>
}

export function metricsExporter(sql: Sql, environment: string): MetricsExporter {
  const values = [environment, randomUUID()]
  let claimed = false
  return {
    isMine: cachedFor(ASKED_MS, async () => {
      const rows = await sql.rows(CLAIM, values).catch(() => [])
      claimed ||= rows.length > 0
      return rows.length > 0
    }),
    async release() {
      if (claimed) await sql.rows(RELEASE, values)
    },
  }
}
