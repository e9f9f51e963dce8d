/** The statements that store the changed rows of a resource: compare-and-set by the revision of each. */
import { type RecordedWrite, recordedWrite } from '../gateway/activity.ts'

export interface Revisioned {
  revision: number
  updated_at: Date
}

/** The rows of a change as they were locked, each with how it shall be. */
export type Replacements<Row> = ReadonlyMap<Row, Row>

/** The statement that stores changed rows. It returns none for a row whose stored revision is not the locked one. */
export interface RowsWrite<Row> {
  /** The columns that tell the tenant's rows apart. */
  key: readonly (keyof Row & string)[]
  statement: RecordedWrite
  values(rows: Replacements<Row>): unknown[]
}

type Column<Row> = keyof Row & string

interface Columns<Row> {
  /** The columns that tell the tenant's rows apart. */
  key: readonly Column<Row>[]
  /** All the columns that any change may touch, so that one prepared statement serves all of them. */
  columns: readonly Column<Row>[]
  /** Columns that are lists of an enumeration, which PostgreSQL’s driver reads as lists only where they are text. */
  enum_lists?: readonly Column<Row>[]
}

/** An update of one row. `key` is empty where the tenancy is enough. */
export function updateOf<Row extends Revisioned>(
  table: string,
  { key, columns, enum_lists = [] }: Columns<Row>,
): RowsWrite<Row> {
  const assigned = ['updated_at' as const, ...columns]
  const returned = [...key, ...assigned, 'revision' as const].map((column) =>
    enum_lists.includes(column) ? `${column}::text[] as ${column}` : column,
  )
  const conditions = [...key, 'revision'].map((column, index) => ` and ${column} = $${3 + index}`).join('')
  const assignments = assigned.map((column, index) => `${column} = $${4 + key.length + index}`).join(', ')
  const text = `update ${table} set revision = revision + 1, ${assignments}
    where tenant_id = $1 and environment = $2${conditions} returning ${returned.join(', ')}`
  return {
    key,
    statement: recordedWrite(`${table}.change`, text),
    values: (rows) =>
      [...rows].flatMap(([before, after]) => [
        ...key.map((column) => before[column]),
        before.revision,
        ...assigned.map((column) => after[column]),
      ]),
  }
}

/** An update of one row or several, each with values of its own. */
export function updateAllOf<Row extends Revisioned>(
  table: string,
  { key, columns }: Omit<Columns<Row>, 'enum_lists'>,
): RowsWrite<Row> {
  const assigned: Column<Row>[] = ['updated_at', ...columns]
  const written: Column<Row>[] = [...key, ...assigned, 'revision']
  const conditions = [...key, 'revision'].map((column) => ` and stored.${column} = given.${column}`).join('')
  const assignments = assigned.map((column) => `${column} = given.${column}`).join(', ')
  const text = `update ${table} stored set revision = stored.revision + 1, ${assignments}
    from unnest($3::jsonb[]) as document, jsonb_populate_record(null::${table}, document) as given
    where stored.tenant_id = $1 and stored.environment = $2${conditions}
    returning ${written.map((column) => `stored.${column}`).join(', ')}`
  return {
    key,
    statement: recordedWrite(`${table}.change`, text),
    values: (rows) => [
      Array.from(rows, ([{ revision }, after]) => {
        const row: Row = { ...after, revision }
        return JSON.stringify(Object.fromEntries(written.map((column) => [column, row[column]])))
      }),
    ],
  }
}
