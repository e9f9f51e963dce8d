/** Jobs whose last attempt failed, for the operator of the service. */
import type { PgBoss } from 'pg-boss'
import { type Sql, statement } from '../db/sql.ts'
import { DEAD_LETTERS } from './boss.ts'
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

const LIST = statement(
  'jobs.dead_letters',
  `select id, source_name as job, data->'tenancy'->>'tenant_id' as tenant_id,
     data->'tenancy'->>'environment' as environment, source_retry_count + 1 as attempts,
     source_created_on as enqueued_at, created_on as failed_at,
     coalesce(output->>'message', output->'value'->>'message') as error
   from pgboss.job
   where name = '${DEAD_LETTERS}' and state < 'active' and ($1::text is null or source_name = $1)
   order by created_on, id`,
)

/** The oldest first; of one job, where it is named. Payloads are not shown: they are the tenants'. */
export const listDeadLetters = (sql: Sql, job: string | null): Promise<DeadLetter[]> =>
  sql.rows<DeadLetter>(LIST, [job])

const AT_ONCE = 1000

/** Enqueues all dead letters again, or those of one job, with all their attempts before them. Returns their number. */
export async function retryDeadLetters(boss: PgBoss, job: string | null): Promise<number> {
  let retried = 0
  for (let moved = AT_ONCE; moved === AT_ONCE; retried += moved)
    moved = await boss.redrive(DEAD_LETTERS, { limit: AT_ONCE, ...(job && { sourceName: job }) })
  return retried
}

/** Enqueues one dead letter again, under its own id, so that a repeated command enqueues it once. */
export async function retryDeadLetter(boss: PgBoss, id: string): Promise<boolean> {
  const [letter] = await boss.findJobs<StoredJob>(DEAD_LETTERS, { id, queued: true })
  if (!letter?.sourceName) return false
  await boss.send(letter.sourceName, letter.data, { id })
  await boss.deleteJob(DEAD_LETTERS, id)
  return true
}
