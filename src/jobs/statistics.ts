/** The job that gives the planner statistics if nothing else does: on the embedded database, and after a restore. */
import { statement } from '../db/sql.ts'
import { NO_PAYLOAD, systemJob } from './job.ts'

/**
 * Tables that were never analyzed, and those of the embedded database that have grown by a fifth since: it has no
 * autovacuum. Their size tells, since a restart forgets how many rows have changed.
 */
const OUTDATED = statement(
  'statistics.outdated',
  `select c.oid::regclass::text as name from pg_class c
   where c.relkind = 'r' and c.relnamespace::regnamespace::text in (current_schema(), 'pgboss')
     and pg_relation_size(c.oid) > 0
     and (c.reltuples < 0 or ($1 and pg_relation_size(c.oid) > 1.2 * c.relpages * current_setting('block_size')::int))
   order by 1`,
)

/**
 * Analyzes tables, without the time limit of statements. Without statistics PostgreSQL believes that a tenant has one row, and finds a row by its key among all
 * of the tenant's rows. Plans that were made before are made anew.
 */
export const analyzeTables = systemJob({
  name: 'database.analyze',
  schedule: '* * * * *',
  payload: NO_PAYLOAD,
  transaction: false,
  async handler({ services: { database }, signal }) {
    const outdated = await database.sql.rows<{ name: string }>(OUTDATED, [database.kind === 'embedded'])
    if (outdated.length === 0) return
    await database.migrating(async ({ sql }) => {
      for (const { name } of outdated) {
        if (signal.aborted) return
        await sql.rows(statement(`statistics.analyze ${name}`, `analyze ${name}`), [])
      }
    })
  },
})
