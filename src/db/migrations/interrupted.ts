/** Migrations whose process was killed: each happened whole or not at all, and a mark on the record tells which. */

import { createHash } from 'node:crypto'
import { type Sql, statement } from '../sql.ts'

/** A killed process's script may still be running on the server: whoever settles waits for it. */
const LOCK = 'lock table _prisma_migrations in share update exclusive mode'

const whereRecorded = (work: string) =>
  `do $$ begin if to_regclass('_prisma_migrations') is not null then ${work}; end if; end $$;`

/** The script, which marks itself as done in the transaction that it is. */
export function marked(script: string): string {
  // What is built concurrently is built outside a transaction.
  if (/\bconcurrently\b/i.test(script)) return script
  const checksum = createHash('sha256').update(script).digest('hex')
  const mark = whereRecorded(`comment on table _prisma_migrations is '${checksum}'`)
  return `${whereRecorded(LOCK)} ${script}\n;${mark}`
}

/** The engine writes a log for what failed, and none for what it never came back from. */
const UNFINISHED = 'finished_at is null and rolled_back_at is null and logs is null'

const SETTLE = statement(
  'migrations.settle',
  whereRecorded(
    `${LOCK};
     update _prisma_migrations set finished_at = now(), applied_steps_count = 1
     where ${UNFINISHED} and checksum = obj_description('_prisma_migrations'::regclass);
     delete from _prisma_migrations where ${UNFINISHED}`,
  ),
)

/** Records what was interrupted as done or as never begun. Only for who holds the lock of migrations. */
export const settleInterrupted = async (sql: Sql): Promise<void> => {
  await sql.rows(SETTLE, [])
}
