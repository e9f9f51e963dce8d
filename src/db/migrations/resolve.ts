/**
 * Resolves migrations whose process was killed, as `prisma migrate resolve` does by hand. A script runs in one
 * transaction and records its checksum in it, so that the next process can tell if the script took effect.
 */

import { createHash } from 'node:crypto'
import { type Sql, statement } from '../sql.ts'

/** Waits for the script of a killed process, which may still run on the server. */
const LOCK = 'lock table _prisma_migrations in share update exclusive mode'

const whereRecorded = (work: string) =>
  `do $$ begin if to_regclass('_prisma_migrations') is not null then ${work}; end if; end $$;`

/** The SQL that runs for a migration's script, and records in the same transaction that it has run. */
export function recordingCompletion(script: string, sql = script): string {
  // `create index concurrently` is refused inside a transaction.
  if (/\bconcurrently\b/i.test(script)) return sql
  const checksum = createHash('sha256').update(script).digest('hex')
  const record = whereRecorded(`comment on table _prisma_migrations is '${checksum}'`)
  return `${whereRecorded(LOCK)} ${sql}\n;${record}`
}

/**
 * The engine writes a log for a migration that failed, and none if its process was killed. One whose connection was cut
 * did not fail.
 */
const UNFINISHED = `finished_at is null and rolled_back_at is null
  and (logs is null or logs ~* 'terminating connection|connection terminated|econnreset|the database system is')`

const RESOLVE = statement(
  'migrations.resolve',
  whereRecorded(
    `${LOCK};
     update _prisma_migrations set finished_at = now(), applied_steps_count = 1
     where ${UNFINISHED} and checksum = obj_description('_prisma_migrations'::regclass);
     delete from _prisma_migrations where ${UNFINISHED}`,
  ),
)

/** Marks interrupted migrations as applied, or as never started. The caller holds the migration lock. */
export const resolveInterrupted = async (sql: Sql): Promise<void> => {
  await sql.rows(RESOLVE, [])
}
