/** Jobs whose last attempt failed, for the operator of the service. */
import type { PgBoss } from 'pg-boss'
import { type Sql, statement } from '../db/sql.ts'
import type { Services } from '../gateway/context.ts'
import { DEAD_LETTERS } from './boss.ts'
import { isOf } from './queue.ts'
import type { StoredJob } from './sender.ts'

export interface DeadLetter {
  id: string
  job: string
  /** null for a job of the system. */
  tenant_id: string | null
  environment: string | null
  attempts: number
  enqueued_at: Date
  failed_at: Date
  error: string | null
}

/** The name of the job: the queue of a job of the system begins with an environment. */
const JOB = "substring(source_name from '[^/]*$')"

const LIST = statement(
  'jobs.dead_letters',
  `select id, ${JOB} as job, data->'tenancy'->>'tenant_id' as tenant_id,
     data->'tenancy'->>'environment' as environment, source_retry_count + 1 as attempts,
     source_created_on as enqueued_at, created_on as failed_at,
     coalesce(output->>'message', output->'value'->>'message') as error
   from pgboss.job
   where name = '${DEAD_LETTERS}' and state < 'active' and ${isOf('$2', 'job', 'source_name')}
     and ($1::text is null or ${JOB} = $1)
   order by created_on, id`,
)

/** The oldest first; of one job, where it is named. Payloads are not shown: they are the tenants'. */
export const listDeadLetters = (sql: Sql, environment: string, job: string | null): Promise<DeadLetter[]> =>
  sql.rows<DeadLetter>(LIST, [job, environment])

/** Enqueues one dead letter again, under its own id, so that a repeated command enqueues it once. */
export async function retryDeadLetter(boss: PgBoss, id: string): Promise<boolean> {
  const [letter] = await boss.findJobs<StoredJob>(DEAD_LETTERS, { id, queued: true })
  if (!letter?.sourceName) return false
  await boss.send(letter.sourceName, letter.data, { id })
  await boss.deleteJob(DEAD_LETTERS, id)
  return true
}

/**
 * Enqueues all dead letters of the environment again, or those of one job, with all their attempts before them. Returns
 * their number.
 */
export async function retryDeadLetters(
  boss: PgBoss,
  sql: Sql,
  environment: string,
  job: string | null,
): Promise<number> {
  let retried = 0
  for (const { id } of await listDeadLetters(sql, environment, job))
    if (await retryDeadLetter(boss, id)) retried++
  return retried
}

const NEW = statement(
  'jobs.deaths',
  `select id::text as id, ${JOB} as job, created_on, coalesce(output->>'message', output->'value'->>'message') as error
   from pgboss.job
   where name = '${DEAD_LETTERS}' and state < 'active' and created_on > $1::timestamptz
     and ${isOf('$2', 'job', 'source_name')}
   order by created_on`,
)

const NOW = statement('jobs.now', 'select now() as now')

/** Returns a function that reports the jobs that died since its last call: failed for the last time, or lost too often. */
export async function watchDeaths(
  { database: { sql }, environment, log }: Pick<Services, 'database' | 'environment' | 'log'>,
  onDeath: (job: string) => void,
): Promise<() => Promise<void>> {
  const [clock] = await sql.rows<{ now: Date }>(NOW, [])
  let since = clock?.now
  return async () => {
    for (const { id, job, created_on, error } of await sql.rows<Death>(NEW, [since, environment])) {
      since = created_on
      onDeath(job)
      log.error({ job, job_id: id, reason: error }, 'a job died: its last attempt failed')
    }
  }
}

interface Death {
  id: string
  job: string
  created_on: Date
  error: string | null
}
