/** Inserts of one row, whose columns are named once: neither their positions nor their types are written by hand. */
import { type DatabaseContext, scopedInsert, sql } from '../db.ts'
import type { Prisma } from '../generated/client/client.ts'
import type { Statement } from '../sql.ts'
import { type Column, type ModelName, type Row, readColumns, sentBy, tableOf } from './models.ts'

/** A value of a column, as it is given. Areas have types of their own for JSON. */
type GivenValue<Value> = Prisma.JsonValue extends Value
  ? unknown
  : Value extends readonly (infer Item)[]
    ? readonly Item[]
    : Value

/** Columns that a statement returns: those of the whole row, or some. */
export type Returning<Model extends ModelName> = 'row' | readonly Column<Model>[]

export type Returned<Model extends ModelName, Chosen> = Chosen extends 'row'
  ? Row<Model>
  : Chosen extends readonly (infer Name extends Column<Model>)[]
    ? Pick<Row<Model>, Name>
    : never

/** The values of a row to be inserted, and the parameters of its computed columns. */
export type Given<Model extends ModelName, Written extends Column<Model>, Parameter extends string> = {
  [Name in Written]: GivenValue<Row<Model>[Name]>
} & { [Name in Parameter]: unknown }

export interface InsertOptions<
  Model extends ModelName,
  Written extends Column<Model>,
  Parameter extends string,
  Chosen extends Returning<Model>,
> {
  /** The columns whose values are given. */
  columns: readonly Written[]
  /** SQL of further columns. `$name` in it is the given value of that column, or that parameter. */
  computed?: { readonly [Name in Column<Model>]?: string }
  /** Values that only SQL of other columns needs. */
  parameters?: readonly Parameter[]
  /** If there is a row with the key: nothing, or the columns that are replaced, if it meets the condition. */
  on_conflict?:
    | 'do nothing'
    | { key: readonly Column<Model>[]; replace: readonly Column<Model>[]; where?: string }
  returning?: Chosen
  /** SQL that it returns besides. */
  also_returning?: string
}

/** The text of an insert, and its values from `$3` on: the first two are the tenancy. */
interface RowInsert<Values> {
  text: string
  values(given: Values): unknown[]
  /** The SQL with the numbers of the values for `$name`. */
  numbered(text: string): string
}

const FIRST_OWN = 3

/** The SQL of further columns: the compiler does not compare it over the columns of every model. */
interface Computed {
  computed?: Readonly<Record<string, string>>
}

/** The text of an insert of a tenant-owned row. */
export function rowInsert<
  Model extends ModelName,
  Written extends Column<Model>,
  Parameter extends string,
  Chosen extends Returning<Model>,
>(
  model: Model,
  options: InsertOptions<Model, Written, Parameter, Chosen>,
): RowInsert<Given<Model, Written, Parameter>> {
  const { columns, parameters = [], on_conflict, returning = [], also_returning } = options
  const computed = Object.entries((options as unknown as Computed).computed ?? {})
  const table = tableOf(model)
  const names = [...columns, ...parameters]
  const numbered = (text: string): string =>
    text.replace(/\$([a-z]\w*)/g, (_match, name: string) => {
      const index = names.indexOf(name as Written)
      if (index === -1) throw new Error(`The insert into ${table} is given no ${name}`)
      return `$${FIRST_OWN + index}`
    })
  const inserted = ['tenant_id', 'environment', ...columns, ...computed.map(([name]) => name)]
  const values = ['$1', '$2', ...columns.map((name) => `$${name}`), ...computed.map(([, text]) => text)]
  const clauses = [
    `insert into ${table} (${inserted.join(', ')})`,
    `values (${values.map((value) => (/^\$\d$/.test(value) ? value : numbered(value))).join(', ')})`,
  ]
  if (on_conflict === 'do nothing') clauses.push('on conflict do nothing')
  else if (on_conflict) {
    const { key, replace, where } = on_conflict
    const assignments = replace.map((column) => `${column} = excluded.${column}`)
    clauses.push(`on conflict (${['tenant_id', 'environment', ...key].join(', ')})`)
    clauses.push(`do update set ${assignments.join(', ')}${where ? ` where ${numbered(where)}` : ''}`)
  }
  const read = readColumns(model, table)
  const chosen: readonly string[] = returning === 'row' ? Object.keys(read) : returning
  const returned = chosen.map((name) => `${read[name]} as ${name}`)
  if (also_returning) returned.push(also_returning)
  if (returned.length > 0) clauses.push(`returning ${returned.join(', ')}`)
  const sent = sentBy(model)
  return {
    text: clauses.join(' '),
    values: (given) => names.map((name) => sent(name, given[name])),
    numbered,
  }
}

/** A named insert. */
export interface Insert<Values, Stored> {
  statement: Statement
  values(given: Values): unknown[]
  /** The type of the row that it returns. It has no value. */
  stored?: Stored
}

/** An insert of a tenant-owned row, under a name. */
export function insertOf<
  Model extends ModelName,
  const Written extends Column<Model>,
  const Parameter extends string = never,
  const Chosen extends Returning<Model> = readonly [],
>(
  name: string,
  model: Model,
  options: InsertOptions<Model, Written, Parameter, Chosen>,
): Insert<Given<Model, Written, Parameter>, Returned<Model, Chosen>> {
  const { text, values } = rowInsert(model, options)
  return { statement: scopedInsert(name, text), values }
}

/** Inserts the row. What the statement returns; undefined if it inserts none. */
export async function insert<Values, Stored>(
  ctx: DatabaseContext,
  { statement, values }: Insert<Values, Stored>,
  given: NoInfer<Values>,
): Promise<Stored | undefined> {
  const [row] = await sql<Stored>(ctx, statement, values(given))
  return row
}
