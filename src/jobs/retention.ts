/** Jobs that delete rows which are no longer kept. */
import type { Database } from '../db/database.ts'
import { statement } from '../db/sql.ts'
import { daysBefore } from '../lib/time.ts'
import { type Job, NO_PAYLOAD, systemJob } from './job.ts'

interface Retention {
  name: `${string}.${string}`
  /** A table whose key is `tenant_id`, `environment` and `id`. */
  table: string
  /** The column with the time of a row. */
  time: string
  /** The days for which a row is kept. */
  days: number
  /** Only rows with this are deleted: a condition in SQL. */
  where?: string
  /** Triggers keep everything but retention from deleting rows of the table. */
  insert_only?: true
}

const BATCH = 2000

/** Milliseconds that a batch may take. */
const BATCH_MS = 30_000

const ALLOW = statement('retention.allow', "select set_config('app.retention', 'on', true)")

/** Declares the deletion of a table’s old rows, every hour, in batches of which each is a transaction of its own. */
export function retentionJob({ name, table, time, days, where, insert_only }: Retention): Job {
  // Rows that somebody has locked are skipped: the next hour deletes them.
  const deletion = statement(
    name,
    `delete from ${table} r using (
       select tenant_id, environment, id from ${table}
       where ${time} < $1::timestamptz${where ? ` and ${where}` : ''} limit ${BATCH} for update skip locked
     ) old
     where (r.tenant_id, r.environment, r.id) = (old.tenant_id, old.environment, old.id)
     returning 1 as deleted`,
  )
  const remove = async ({ sql, transaction }: Database, before: Date): Promise<number> => {
    if (!insert_only) return (await sql.rows(deletion, [before])).length
    return await transaction(BATCH_MS, async (connection) => {
      await connection.rows(ALLOW, [])
      return (await connection.rows(deletion, [before])).length
    })
  }
  return systemJob({
    name,
    schedule: '41 * * * *',
    payload: NO_PAYLOAD,
    timeout_seconds: 600,
    transaction: false,
    async handler({ services, now, signal }) {
      const before = daysBefore(now, days)
      for (let deleted = BATCH; deleted === BATCH && !signal.aborted; )
        deleted = await remove(services.database, before)
    },
  })
}
