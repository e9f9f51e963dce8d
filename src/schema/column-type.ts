/** The GraphQL types of columns, as the Prisma schema has them. */
import type { InputRef, OutputRef } from '@pothos/core'
import { type Column, fieldsOf, type ModelName } from '../db/query/models.ts'
import { enumFrom, type SchemaTypes } from './builder.ts'

type Scalar = keyof SchemaTypes['Scalars'] & string

const SCALARS: Readonly<Record<string, Scalar>> = {
  Boolean: 'Boolean',
  DateTime: 'DateTime',
  Decimal: 'Float',
  Float: 'Float',
  Int: 'Int',
  Json: 'JSON',
  String: 'String',
}

/** The types of texts whose columns are named so. */
const BY_NAME: readonly [RegExp, Scalar][] = [
  [/(^|_)ids?$/, 'ID'],
  [/(^|_)email$/, 'EmailAddress'],
  [/(^|_)ip$/, 'IP'],
  [/(^|_)url$/, 'URL'],
  [/^timezone$/, 'TimeZone'],
]

type Type = Scalar | (InputRef & OutputRef)

interface ColumnType {
  type: Type | [Type]
  nullable: boolean
}

/** The type of the model’s column. */
export function columnType<Name extends ModelName>(model: Name, column: Column<Name>): ColumnType {
  const field = fieldsOf(model).find(({ name }) => name === column)
  if (!field) throw new Error(`${model} has no column ${column}`)
  const { kind, type: stored, isList, isRequired } = field
  const named = stored === 'String' && BY_NAME.find(([name]) => name.test(column))?.[1]
  const type = kind === 'enum' ? enumFrom(stored as never) : named || SCALARS[stored]
  if (!type) throw new Error(`A column of the type ${stored} needs a field of its own: ${model}.${column}`)
  return { type: isList ? [type] : type, nullable: !isRequired }
}
