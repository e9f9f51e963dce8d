/** Jobs that delete rows which are no longer kept. */
import type { Database } from '../db/database.ts'
import { type Sql, statement } from '../db/sql.ts'
import { daysBefore } from '../lib/time.ts'
import { type Job, NO_PAYLOAD, systemJob, type UnboundJobContext } from './job.ts'

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

/** The rows that one batch deletes. */
export const BATCH = 2000

/** Milliseconds that a batch may take. */
const BATCH_MS = 30_000

const ALLOW = statement('retention.allow', 'select allow_retention()')

/** Work that may delete rows which triggers keep from everything else, in one transaction. */
export const asRetention = <Result>(
  { transaction }: Pick<Database, 'transaction'>,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> =>
  transaction(BATCH_MS, async (connection) => {
    await connection.rows(ALLOW, [])
    return await work(connection)
  })

/** Declares a job of the system that deletes old rows every hour. */
export const hourly = (name: Retention['name'], handler: (ctx: UnboundJobContext) => Promise<void>): Job =>
  systemJob({
    name,
    schedule: '41 * * * *',
    payload: NO_PAYLOAD,
    timeout_seconds: 600,
    transaction: false,
    handler,
  })

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
  const remove = async (database: Database, before: Date): Promise<number> => {
    const removed = insert_only
      ? await asRetention(database, (sql) => sql.rows(deletion, [before]))
      : await database.sql.rows(deletion, [before])
    return removed.length
  }
  return hourly(name, async ({ services, now, signal }) => {
    const before = daysBefore(now, days)
    for (let deleted = BATCH; deleted === BATCH && !signal.aborted; )
      deleted = await remove(services.database, before)
  })
}
