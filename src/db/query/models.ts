/** The Prisma models as tables: the types of their rows, by Prisma and by SQL alike, and the SQL of their columns. */
import type { Converted } from '../column-types.ts'
import type PrismaTypes from '../generated/pothos.ts'
import { getDatamodel } from '../generated/pothos.ts'

type Relations<Name extends keyof PrismaTypes> = PrismaTypes[Name]['Relations']

type Converting<Type> = Type extends { Shape: infer Shape }
  ? Omit<Type, 'Shape'> & { Shape: Converted<Shape> }
  : never

/** The types of the models, for the builder. */
export type Models = {
  [Name in keyof PrismaTypes]: Omit<PrismaTypes[Name], 'Shape' | 'Relations'> & {
    Shape: Converted<PrismaTypes[Name]['Shape']>
    Relations: { [Field in keyof Relations<Name>]: Converting<Relations<Name>[Field]> }
  }
}

export type ModelName = keyof Models

/** A row of the model. */
export type Row<Name extends ModelName> = Models[Name]['Shape']

/** A column of the model. */
export type Column<Name extends ModelName> = keyof Row<Name> & string

const { models } = getDatamodel().datamodel

/** The columns of the model. */
export const fieldsOf = (model: ModelName) =>
  (models[model]?.fields ?? []).filter(({ kind }) => kind !== 'object')

/** The names of the model's columns of JSON. */
export const jsonColumnsOf = (model: ModelName): ReadonlySet<string> =>
  new Set(fieldsOf(model).flatMap(({ name, type }) => (type === 'Json' ? [name] : [])))

/** The names of the model's columns. */
export const columnsOf = (model: ModelName): string[] => fieldsOf(model).map(({ name }) => name)

/** The column that tells the tenant's rows of the model apart. */
export function keyOfModel(model: ModelName): { column: string; type: 'text' | 'int' } {
  const names = models[model]?.primaryKey?.fields ?? []
  const [column, ...others] = names.filter((name) => name !== 'tenant_id' && name !== 'environment')
  if (column === undefined || others.length > 0) throw new Error(`The key of ${model} is not one column`)
  const field = fieldsOf(model).find(({ name }) => name === column)
  return { column, type: field?.type === 'Int' ? 'int' : 'text' }
}

/** PostgreSQL’s driver reads values of an enumeration only if they are text. */
const asText = (isList: boolean): string => (isList ? '::text[]' : '::text')

/** The SQL by which each column of the model is read, of rows called `alias`, by name. */
export const readColumns = (model: ModelName, alias: string): Record<string, string> =>
  Object.fromEntries(
    fieldsOf(model).map(({ name, kind, isList }) => [
      name,
      `${alias}.${name}${kind === 'enum' ? asText(isList) : ''}`,
    ]),
  )

/** Names in PostgreSQL that do not follow from the name in the Prisma schema. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  StoredToolCall: 'tool_call',
  CustomerStatus: 'end_company_status',
}

/** The name of a model or an enumeration in SQL. */
const sqlName = (name: string): string =>
  OTHER_NAMES[name] ?? name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()

/** The name of the model's table. */
export const tableOf = (model: ModelName): string => sqlName(model)

const SQL_TYPES: Readonly<Record<string, string>> = { Boolean: 'boolean', Int: 'int', String: 'text' }

/** The SQL type of values that the column is compared with. */
export function sqlTypeOf(model: ModelName, column: string): string {
  const { kind, type = '' } = fieldsOf(model).find(({ name }) => name === column) ?? {}
  const sql_type = kind === 'enum' ? sqlName(type) : SQL_TYPES[type]
  if (!sql_type) throw new Error(`No filter compares ${model}.${column}`)
  return sql_type
}

/** The names of the tables of all models. */
export const EVERY_TABLE = (Object.keys(models) as ModelName[]).map(tableOf)

/** Converts values of the model's columns for the driver: JSON to its text, since the driver takes a list for an array. */
export function sentBy(model: ModelName): (column: string, value: unknown) => unknown {
  const json = jsonColumnsOf(model)
  return (column, value) =>
    json.has(column) && value !== null && value !== undefined ? JSON.stringify(value) : value
}
