/** GraphQL types of rows: a statement reads of a row only the columns that the selected fields are made of. */
import type { FieldMap, FieldRef, ObjectRef } from '@pothos/core'
import type { PrismaModelTypes, PrismaObjectRef } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { ModelName, Models, Row } from '../db/query/models.ts'
import type { Context } from '../gateway/context.ts'
import { builder, type SchemaTypes } from './builder.ts'

type Model<Name extends ModelName> = PrismaModelTypes & Models[Name]

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
  fields: (t: PothosSchemaTypes.PrismaObjectFieldBuilder<SchemaTypes, Model<Name>, object>) => FieldMap
}

/** Declares the type of a model’s rows. */
export const rowType = <Name extends ModelName>(
  name: Name,
  options: RowTypeOptions<Name>,
): PrismaObjectRef<SchemaTypes, Model<Name>, Row<Name>> =>
  builder.prismaObject(name as never, options as never) as never

/** Adds a field to a type of rows, in an area that knows both. */
export const addField = (
  type: ObjectRef<SchemaTypes, unknown>,
  name: string,
  field: (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, object>) => FieldRef<SchemaTypes>,
): void => builder.objectField(type, name, field as never)

/**
 * Makes the options of a field of a row: statements select these columns if the field is asked for, and its resolver
 * sees no others.
 */
export const madeOf =
  <Row extends object = object>() =>
  <const Name extends keyof Row & string, Result, Args = object>(
    columns: readonly Name[],
    resolve: (row: Pick<Row, Name>, args: Args, ctx: Context, info: GraphQLResolveInfo) => Result,
  ) => ({
    columns,
    resolve: resolve as (row: object, args: Args, ctx: Context, info: GraphQLResolveInfo) => Result,
  })
