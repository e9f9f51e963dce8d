/** The writes that store the changed rows of a resource with their activity: compare-and-set by the revision of each. */
import {
  type Column,
  columnsOf,
  type ModelName,
  readColumns,
  sentBy,
  tableOf,
} from '../../db/query/models.ts'
import { type Activity, recordedWrite, writeRecorded } from '../../gateway/activity.ts'
import type { MutationContext } from '../../gateway/context.ts'

export interface Revisioned {
  revision: number
  updated_at?: Date | null
}

/** The rows of a change as they were locked, each with how it shall be. */
export type Replacements<Row> = ReadonlyMap<Row, Row>

interface StoreOptions {
  /** The mutation writes nothing more. */
  last: boolean
}

/** Stores changed rows. */
export interface RowsWrite<Row, Written extends string> {
  /** The columns that tell the tenant's rows apart. */
  key: readonly (keyof Row & string)[]
  /** The columns that changes may touch. It has no value. */
  written?: Written
  /** The stored rows, without those whose stored revision is not the locked one. */
  store(
    ctx: MutationContext,
    rows: Replacements<Row>,
    activity: Activity,
    options: StoreOptions,
  ): Promise<readonly object[]>
}

/** The columns of a row that a statement knows. Areas have types of their own for JSON. */
export type Known<Columns extends string> = Revisioned & Readonly<Record<Columns, unknown>>

interface Columns<Key extends string, Written extends string> {
  key: readonly Key[]
  /** All the columns that any change may touch, so that one prepared statement serves all of them. */
  columns: readonly Written[]
}

/** Columns that the service sets: the tenancy, the revision and the times of the row. */
export const OF_SERVICE = ['tenant_id', 'environment', 'revision', 'created_at', 'updated_at'] as const
export type OfService = (typeof OF_SERVICE)[number]

/** All columns of the model that changes may touch: those beside the key that the service does not set. */
export const changeableColumns = <Model extends ModelName, const Key extends Column<Model>>(
  model: Model,
  key: readonly Key[],
) =>
  columnsOf(model).filter(
    (column) => ![...key, ...OF_SERVICE].some((one) => one === column),
  ) as unknown as readonly Exclude<Column<Model>, Key | OfService>[]

/** A write by one statement, which stores the activity too. */
function writeBy<Row, Written extends string>(
  key: RowsWrite<Row, Written>['key'],
  name: string,
  text: string,
  valuesOf: (rows: Replacements<Row>) => unknown[],
): RowsWrite<Row, Written> {
  const statement = recordedWrite(name, text)
  return {
    key,
    store: (ctx, rows, activity, options) =>
      writeRecorded<object>(ctx, statement, valuesOf(rows), activity, options),
  }
}

/** The columns as a statement returns them. */
const returning = (model: ModelName, alias: string, columns: readonly string[]): string => {
  const sql = readColumns(model, alias)
  return columns.map((column) => `${sql[column]} as ${column}`).join(', ')
}

/** An update of one row. `key` is empty if the tenancy is enough. */
export function updateOf<
  Model extends ModelName,
  const Key extends Column<Model>,
  const Written extends Column<Model>,
>(model: Model, { key, columns }: Columns<Key, Written>): RowsWrite<Known<Key | Written>, Written> {
  const table = tableOf(model)
  const assigned = ['updated_at' as const, ...columns]
  const conditions = [...key, 'revision'].map((column, index) => ` and ${column} = $${3 + index}`).join('')
  const assignments = assigned.map((column, index) => `${column} = $${4 + key.length + index}`).join(', ')
  const text = `update ${table} set revision = revision + 1, ${assignments}
    where tenant_id = $1 and environment = $2${conditions}
    returning ${returning(model, table, [...key, ...assigned, 'revision'])}`
  const sent = sentBy(model)
  return writeBy(key, `${table}.change`, text, (rows) =>
    [...rows].flatMap(([before, after]) => [
      ...key.map((column) => before[column]),
      before.revision,
      ...assigned.map((column) => sent(column, after[column])),
    ]),
  )
}

/** An update of one row or several, each with values of its own. */
export function updateAllOf<
  Model extends ModelName,
  const Key extends Column<Model>,
  const Written extends Column<Model>,
>(model: Model, { key, columns }: Columns<Key, Written>): RowsWrite<Known<Key | Written>, Written> {
  const table = tableOf(model)
  const assigned = ['updated_at' as const, ...columns]
  const written = [...key, ...assigned, 'revision' as const]
  const conditions = [...key, 'revision'].map((column) => ` and stored.${column} = given.${column}`).join('')
  const assignments = assigned.map((column) => `${column} = given.${column}`).join(', ')
  const text = `update ${table} stored set revision = stored.revision + 1, ${assignments}
    from unnest($3::jsonb[]) as document, jsonb_populate_record(null::${table}, document) as given
    where stored.tenant_id = $1 and stored.environment = $2${conditions}
    returning ${returning(model, 'stored', written)}`
  return writeBy(key, `${table}.change`, text, (rows) => [
    Array.from(rows, ([{ revision }, after]) => {
      const row: typeof after = { ...after, revision }
      return JSON.stringify(Object.fromEntries(written.map((column) => [column, row[column]])))
    }),
  ])
}

/**
 * An update of the one row of its key, or its insert: there is no row before the tenant first decides, and the first one
 * has revision 2.
 */
export function upsertOf<
  Model extends ModelName,
  const Key extends Column<Model>,
  const Written extends Column<Model>,
>(model: Model, { key, columns }: Columns<Key, Written>): RowsWrite<Known<Key | Written>, Written> {
  const table = tableOf(model)
  const assigned = ['updated_at' as const, ...columns]
  const inserted = [...key, ...assigned]
  const parameters = inserted.map((_column, index) => `$${3 + index}`)
  const assignments = assigned.map((column) => `${column} = excluded.${column}`).join(', ')
  const text = `insert into ${table} (${['tenant_id', 'environment', 'revision', ...inserted].join(', ')})
    values ($1, $2, 2, ${parameters.join(', ')})
    on conflict (${['tenant_id', 'environment', ...key].join(', ')}) do update
    set revision = ${table}.revision + 1, ${assignments}
    where ${table}.revision = $${3 + inserted.length}
    returning ${returning(model, table, [...inserted, 'revision'])}`
  const sent = sentBy(model)
  return writeBy(key, `${table}.store`, text, (rows) =>
    [...rows].flatMap(([before, after]) => [
      ...inserted.map((column) => sent(column, after[column])),
      before.revision,
    ]),
  )
}
