/** The order of the instants in the rows of the demo. */
import type { Database } from '../../src/db/database.ts'
import { statement } from '../../src/db/sql.ts'

const COLUMNS = statement(
  'test.instants',
  `select c.table_name as of_table, c.column_name as name
   from information_schema.columns c
   join information_schema.tables t using (table_schema, table_name)
   where table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type like 'timestamp%'
     and c.table_name not like '\\_prisma%'
   order by 1, 2`,
)

/** The instants at which a row begins: of a table that has several, the first of these. */
const BEGINNINGS = [
  'created_at',
  'received_at',
  'occurred_at',
  'installed_at',
  'raised_at',
  'started_at',
  'at',
]

/** Instants of what was there before the row was. */
const EARLIER = [
  'callback.psa_changed_at',
  'psa_time_entry.started_at',
  'ticket_repeat.previous_at',
  'ticket_repeat.agent_previous_at',
]

/** Instants of what is still to come. */
const LATER = [
  'api_key.expires_at',
  'api_key.sunset_at',
  'scheduled_work.scheduled_for',
  'til_request.expires_at',
]

/** The instants that are before the beginning of their row, or after `now`: `agent.updated_at`. */
export async function misplacedInstants({ sql }: Database, now: Date): Promise<string[]> {
  const columns = await sql.rows<{ of_table: string; name: string }>(COLUMNS, [])
  const judged = [...Map.groupBy(columns, ({ of_table }) => of_table)].flatMap(([table, own]) => {
    const names = own.map(({ name }) => name)
    const beginning = BEGINNINGS.find((name) => names.includes(name))
    return names.map((name) => {
      const column = `${table}.${name}`
      const conditions = [
        ...(LATER.includes(column) ? [] : [`${name} > $1`]),
        ...(beginning && !EARLIER.includes(column) ? [`${name} < ${beginning}`] : []),
      ]
      return `select '${column}' as name where exists (select from ${table} where ${conditions.join(' or ')})`
    })
  })
  const found = await sql.rows<{ name: string }>(statement('test.misplaced', judged.join(' union all ')), [
    now,
  ])
  return found.map(({ name }) => name)
}
