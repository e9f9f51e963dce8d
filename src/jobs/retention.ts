/** Jobs that delete rows which are no longer kept. */
import type { Database } from '../db/database.ts'
import { type Sql, statement } from '../db/sql.ts'
import { daysBefore } from '../lib/time.ts'
import { type Job, NO_PAYLOAD, systemJob, type UnboundJobContext } from './job.ts'

interface Retention {
  name: `${string}.${string}`
  /** A table whose key is `tenant_id`, `environment` and the column `id`. */
  table: string
  /** The other columns of the key, in place of `id`. */
  key?: readonly string[]
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
export const BATCH_MS = 30_000

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

/** Milliseconds in which a run goes on to its next batch: the next hour goes on with what is left. */
const RUN_MS = 480_000

/** Repeats `remove`, which returns the number of rows of its batch, until a batch is not full, or the run is over. */
export async function inBatches(
  { signal }: Pick<UnboundJobContext, 'signal'>,
  full: number,
  remove: () => Promise<number>,
): Promise<void> {
  const ends_at = performance.now() + RUN_MS
  for (let removed = full; removed >= full && !signal.aborted && performance.now() < ends_at; )
    removed = await remove()
}

/** The minute of the hour, by the name of the job, so that few of them work at the same time. */
const minuteOf = (name: string): number =>
  [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 60, 0)

/** Declares a job of the system that deletes old rows of its environment every hour. */
export const hourly = (name: Retention['name'], handler: (ctx: UnboundJobContext) => Promise<void>): Job =>
  systemJob({
    name,
    schedule: `${minuteOf(name)} * * * *`,
    payload: NO_PAYLOAD,
    timeout_seconds: 600,
    transaction: false,
    handler,
  })

/** Declares the deletion of a table’s old rows, every hour, in batches of which each is a transaction of its own. */
export function retentionJob({ name, table, key = ['id'], time, days, where, insert_only }: Retention): Job {
  const columns = ['tenant_id', 'environment', ...key]
  const of = (row: string) => columns.map((column) => `${row}.${column}`).join(', ')
  // Rows that somebody has locked are skipped: the next hour deletes them.
  const deletion = statement(
    name,
    `delete from ${table} r using (
       select ${columns.join(', ')} from ${table}
       where environment = $2 and ${time} < $1::timestamptz${where ? ` and ${where}` : ''}
       limit ${BATCH} for update skip locked
     ) old
     where (${of('r')}) = (${of('old')})
     returning 1 as deleted`,
  )
  return hourly(name, (ctx) => {
    const { database, environment } = ctx.services
    const values = [daysBefore(ctx.now, days), environment]
    return inBatches(ctx, BATCH, async () => {
      const removed = insert_only
        ? await asRetention(database, (sql) => sql.rows(deletion, values))
        : await database.sql.rows(deletion, values)
      return removed.length
    })
  })
}
