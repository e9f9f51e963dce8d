/** GraphQL types of rows: a statement reads of a row only the columns that the selected fields are made of. */
import type { FieldMap, FieldRef, ObjectRef } from '@pothos/core'
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { Column, ModelName, Models, Row } from '../db/query/models.ts'
import type { Context } from '../gateway/context.ts'
import { REVISION } from '../gateway/entity-tags.ts'
import { builder, type SchemaTypes } from './builder.ts'
import { columnType } from './column-type.ts'

type Model<Name extends ModelName> = PrismaModelTypes & Models[Name]
type Fields<Name extends ModelName> = PothosSchemaTypes.PrismaObjectFieldBuilder<
  SchemaTypes,
  Model<Name>,
  object
>

interface Columns<Name extends ModelName> {
  /** Fields that expose columns, with the types, nullability and descriptions of the model. */
  columns(...names: readonly Column<Name>[]): FieldMap
}

interface RowTypeOptions<Name extends ModelName> {
  /** The name of the type, if it is not that of the model. */
  name?: string
  /** The name of a second type of the model. */
  variant?: string
  description?: string
  /**
   * `resolve` reads each relation to it: some callers who see a row that refers to one do not see it, or SQL computes
   * columns of it.
   */
  read_apart?: true
  /** Fields expose columns, or are made with `madeOf`. Any other resolver sees nothing of the row. */
  fields: (t: Fields<Name> & Columns<Name>) => FieldMap
}

const exposing = <Name extends ModelName>(model: Name, t: Fields<Name>): Columns<Name> => ({
  columns: (...names) =>
    Object.fromEntries(
      names.map((name) => {
        const described = name === 'revision' && { description: REVISION }
        return [name, t.expose(name as never, { ...columnType(model, name), ...described } as never)]
      }),
    ),
})

/** Declares the type of a model’s rows. */
export const rowType = <Name extends ModelName>(
  model: Name,
  { fields, ...options }: RowTypeOptions<Name>,
): PrismaObjectRef<SchemaTypes, Model<Name>, Row<Name>> =>
  builder.prismaObject(
    model as never,
    {
      ...options,
      fields: (t: Fields<Name>) => fields(Object.assign(t, exposing(model, t))),
    } as never,
  ) as never

/** Declares the type of a model’s rows, and a second type without the columns that are too large for lists. */
export const rowTypes = <Name extends ModelName>(
  model: Name,
  {
    without,
    summary,
    fields,
  }: Pick<RowTypeOptions<Name>, 'fields'> & { without: readonly string[]; summary: string },
) => ({
  of: rowType(model, { fields }),
  summary: rowType(model, {
    variant: `${model}Summary`,
    description: summary,
    fields: (t) => Object.fromEntries(Object.entries(fields(t)).filter(([name]) => !without.includes(name))),
  }),
})

/** Adds a field to a type of rows, in an area that knows both. */
export const addField = (
  type: ObjectRef<SchemaTypes, unknown>,
  name: string,
  field: (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, object>) => FieldRef<SchemaTypes>,
): void => builder.objectField(type, name, field as never)

type Resolve<Row, Args, Result> = (row: Row, args: Args, ctx: Context, info: GraphQLResolveInfo) => Result

interface Made<Row extends object> {
  /** The value of one column. */
  <const Name extends keyof Row & string>(
    column: Name,
  ): { columns: readonly Name[]; resolve: Resolve<object, object, Required<Row>[Name]> }
  <const Name extends keyof Row & string, Result, Args = object>(
    columns: readonly Name[],
    resolve: Resolve<Pick<Row, Name>, Args, Result>,
  ): { columns: readonly Name[]; resolve: Resolve<object, Args, Result> }
}

/**
 * Makes the options of a field of a row: statements select these columns if the field is asked for, and its resolver
 * sees no others.
 */
export const madeOf = <Row extends object = object>(): Made<Row> =>
  ((columns: string | readonly string[], resolve?: unknown) =>
    typeof columns === 'string'
      ? { columns: [columns], resolve: (row: Readonly<Record<string, unknown>>) => row[columns] }
      : { columns, resolve }) as Made<Row>
