/** Jobs whose last attempt failed, for the operator of the service. */
import type { PgBoss } from 'pg-boss'
import { type Sql, statement } from '../db/sql.ts'
import type { Services } from '../gateway/context.ts'
import type { StoredJob } from '../gateway/job-sender.ts'
import { DEAD_LETTERS } from './boss.ts'
import { isOf } from './queue.ts'

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

/** The oldest first; of one job, if it is named. Payloads are not shown: they are the tenants'. */
export const listDeadLetters = (sql: Sql, environment: string, job: string | null): Promise<DeadLetter[]> =>
  sql.rows<DeadLetter>(LIST, [job, environment])

/** Enqueues one dead letter again, under its own id, so that a repeated command enqueues it once. */
export async function retryDeadLetter(boss: PgBoss, id: string): Promise<boolean> {
  const [letter] = await boss.findJobs<StoredJob>(DEAD_LETTERS, { id, queued: true })
  if (!letter?.sourceName) return false
  const { lost: _, ...data } = letter.data
  await boss.send(letter.sourceName, data, { id })
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

const WERE_LOST = 'workers were lost with the job'

/** The error of a job that is given up. */
export const givenUpError = (lost: number | undefined): Error => new Error(`${lost} ${WERE_LOST}`)

/**
 * A subquery of the jobs of this name that were given up within the last day: their `tenant_id`, their `environment` and the
 * `name` in their payload. A dead letter that an operator retries is gone.
 */
export const givenUpWithinDay = (job: string): string => `
  select d.data -> 'tenancy' ->> 'tenant_id', d.data -> 'tenancy' ->> 'environment', d.data -> 'payload' ->> 'name'
  from pgboss.job d
  where d.name = '${DEAD_LETTERS}' and d.state < 'active' and d.source_name = '${job}'
    and d.created_on > now() - interval '1 day' and d.output ->> 'message' like '%${WERE_LOST}'
    and d.data -> 'payload' ->> 'name' is not null`

const BEGIN = statement(
  'jobs.begin_deaths',
  'insert into reported_deaths (environment, until) values ($1, now()) on conflict do nothing',
)

const TAKE_NEW = statement(
  'jobs.deaths',
  `with reported as (select until from reported_deaths where environment = $1 for update),
     died as (
       select id::text as id, ${JOB} as job, created_on,
         coalesce(output->>'message', output->'value'->>'message') as error
       from pgboss.job, reported
       where name = '${DEAD_LETTERS}' and state < 'active' and created_on > reported.until
         and ${isOf('$1', 'job', 'source_name')}
     ),
     moved as (
       update reported_deaths set until = (select max(created_on) from died)
       where environment = $1 and exists (select from died)
     )
   select id, job, error from died order by created_on`,
)

/**
 * Returns a function that reports jobs that died: failed for the last time, or lost too often. Of all processes that call
 * it, one reports each.
 */
export async function watchDeaths(
  { database: { sql }, environment, log }: Pick<Services, 'database' | 'environment' | 'log'>,
  onDeath: (job: string) => void,
): Promise<() => Promise<void>> {
  await sql.rows(BEGIN, [environment])
  return async () => {
    for (const { id, job, error } of await sql.rows<Death>(TAKE_NEW, [environment])) {
      onDeath(job)
      log.error({ job, job_id: id, reason: error }, 'a job died: its last attempt failed')
    }
  }
}

interface Death {
  id: string
  job: string
  error: string | null
}
