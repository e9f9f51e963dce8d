/** The work that waits, for the metrics. */
import { type Sql, statement } from '../db/sql.ts'
import { cachedFor } from '../lib/cached-for.ts'

export interface JobLoad {
  job: string
  waiting: number
  running: number
  dead: number
  /** How long the job that has waited longest could have run by now; 0 where none waits. */
  oldest_seconds: number
}

// A dead letter counts for the job that it was; what is enqueued for later does not wait yet.
const LOAD = statement(
  'jobs.load',
  `select queue.name as job,
     count(job.id) filter (where not dead and job.state < 'active' and start_after <= now()) as waiting,
     count(job.id) filter (where not dead and job.state = 'active') as running,
     count(job.id) filter (where dead) as dead,
     coalesce(extract(epoch from now() - min(start_after)
       filter (where not dead and job.state < 'active' and start_after <= now())), 0) as oldest_seconds
   from pgboss.queue
   left join lateral (
     select id, state, start_after, false as dead from pgboss.job
     where name = queue.name and state <= 'active'
     union all
     select id, state, start_after, true as dead from pgboss.job
     where name = 'dead_letters' and source_name = queue.name and state < 'active'
   ) as job on true
   where queue.name <> 'dead_letters' and queue.name not like '\\_\\_pgboss%'
   group by queue.name order by queue.name`,
)

const READ_MS = 1_000

/** The load of each queue, read once a second at most; none where it cannot be read, before its tables are made too. */
export const jobLoad = (sql: Sql): (() => Promise<readonly JobLoad[]>) =>
  cachedFor(READ_MS, () => sql.rows<JobLoad>(LOAD, []).catch(() => []))
