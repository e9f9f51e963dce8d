/** Makes the tables of jobs, as `npm run migrate` and a first start do. */
import type { Database } from '../db/database.ts'
import { type Sql, statement } from '../db/sql.ts'
import { createBoss, makeQueues } from './boss.ts'
import { WAITING_INDEX } from './claim.ts'
import type { Job } from './job.ts'
import { queueOf } from './queue.ts'

/** Makes pg-boss's tables, or brings them up to date, and makes the queues of the declared jobs. */
export async function installJobs(
  database: Pick<Database, 'source' | 'sql'>,
  environment: string,
  jobs: readonly Job[],
): Promise<void> {
  const boss = await createBoss({ database, migrate: true, works: false })
  // A failure is thrown by the call that met it.
  boss.on('error', () => {})
  try {
    await boss.start()
    await boss.getDb().executeSql(WAITING_INDEX)
    await makeQueues(boss, environment, jobs)
  } finally {
    await boss.stop({ graceful: false })
  }
}

const HAS_TABLES = statement('jobs.tables', `select to_regclass('pgboss.queue') is not null as exist`)
const QUEUES = statement('jobs.queues', 'select count(*) as count from pgboss.queue where name = any($1)')

const VERSION = statement('jobs.version', 'select max(version) as version from pgboss.version')

/**
 * True if a later pg-boss than ours has made or changed the tables. Ours starts on them only if it may migrate, which
 * leaves them as they are.
 */
export async function hasLaterTables(sql: Sql): Promise<boolean> {
  if (!(await hasJobTables(sql))) return false
  const { default: own } = await import('pg-boss/package.json', { with: { type: 'json' } })
  const [tables] = await sql.rows<{ version: number | null }>(VERSION, [])
  return (tables?.version ?? 0) > own.pgboss.schema
}

/** True if the database has the tables of jobs. */
export async function hasJobTables(sql: Sql): Promise<boolean> {
  const [tables] = await sql.rows<{ exist: boolean }>(HAS_TABLES, [])
  return tables?.exist === true
}

/** True once the database has a queue for each of the jobs. A worker brings older tables up to date. */
export function queuesCheck(sql: Sql, environment: string, jobs: readonly Job[]): () => Promise<boolean> {
  let complete = false
  const ask = async (): Promise<boolean> => {
    if (!(await hasJobTables(sql))) return false
    const [queues] = await sql.rows<{ count: number }>(QUEUES, [jobs.map((job) => queueOf(environment, job))])
    return queues?.count === jobs.length
  }
  return async () => {
    complete ||= await ask()
    return complete
  }
}
