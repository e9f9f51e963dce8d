/** Makes the tables of jobs, as `npm run migrate` and a first start do. */
import type { Database } from '../db/database.ts'
import { type Sql, statement } from '../db/sql.ts'
import { createBoss, makeQueues } from './boss.ts'
import type { Job } from './job.ts'

/** Makes pg-boss's tables, or brings them up to date, and makes the queues of the declared jobs. */
export async function installJobs(database: Pick<Database, 'source'>, jobs: readonly Job[]): Promise<void> {
  const boss = await createBoss({ database, migrate: true, works: false })
  // A failure is thrown by the call that met it.
  boss.on('error', () => {})
  try {
    await boss.start()
    await makeQueues(boss, jobs)
  } finally {
    await boss.stop({ graceful: false })
  }
}

const HAS_TABLES = statement('jobs.exist', `select to_regclass('pgboss.version') is not null as exist`)

/** True once the tables of jobs are there. A worker brings older ones up to date. */
export const jobTablesCheck = (sql: Sql): (() => Promise<boolean>) => {
  let exist = false
  return async () => {
    exist ||= (await sql.rows<{ exist: boolean }>(HAS_TABLES, []))[0]?.exist === true
    return exist
  }
}
