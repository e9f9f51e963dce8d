/** The load of the queues, for the metrics. */
import { type Sql, statement } from '../db/sql.ts'
import { cachedFor } from '../lib/cached-for.ts'
import type { Job } from './job.ts'
import { isOf, queueOf } from './queue.ts'

export interface JobLoad {
  job: string
  waiting: number
  running: number
  dead: number
  /** The waiting time of the oldest waiting job; 0 if none waits. */
  oldest_seconds: number
}

// A dead letter counts for its original job. A job with a later start does not wait yet.
const LOAD = statement(
  'jobs.load',
  `select substring(queue.name from '[^/]*$') as job,
     count(job.id) filter (where not dead and job.state < 'active' and start_after <= now()) as waiting,
     count(job.id) filter (where not dead and job.state = 'active') as running,
     count(job.id) filter (where dead) as dead,
     coalesce(extract(epoch from now() - min(start_after)
       filter (where not dead and job.state < 'active' and start_after <= now())), 0) as oldest_seconds
   from pgboss.queue
   left join lateral (
     select id, state, start_after, false as dead from pgboss.job
     where name = queue.name and state <= 'active' and ${isOf('$2', 'job', 'name')}
     union all
     select id, state, start_after, true as dead from pgboss.job
     where name = 'dead_letters' and source_name = queue.name and state < 'active' and ${isOf('$2', 'job', 'source_name')}
   ) as job on true
   where queue.name = any($1::text[])
   group by queue.name order by queue.name`,
)

const READ_MS = 1_000

/** The load of each queue, read at most once a second; empty if it cannot be read, as before the tables exist. */
export function jobLoad(
  sql: Sql,
  environment: string,
  jobs: readonly Job[],
): () => Promise<readonly JobLoad[]> {
  const values = [jobs.map((job) => queueOf(environment, job)), environment]
  return cachedFor(READ_MS, () => sql.rows<JobLoad>(LOAD, values).catch(() => []))
}
