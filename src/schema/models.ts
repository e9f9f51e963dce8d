/** The Prisma models as rows are read: by Prisma and by SQL alike, after the conversions of `db/column-types.ts`. */
import type { Converted } from '../db/column-types.ts'
import { ENUMS } from '../db/generated/enums.ts'
import type PrismaTypes from '../db/generated/pothos.ts'

/** The types of the models, for the builder. */
export type Models = {
  [Name in keyof PrismaTypes]: Omit<PrismaTypes[Name], 'Shape'> & {
    Shape: Converted<PrismaTypes[Name]['Shape']>
  }
}

/** A row of the model. */
export type Row<Name extends keyof Models> = Models[Name]['Shape']

type Enums = typeof ENUMS

export type EnumName = keyof Enums

/** The words of an enumeration of the Prisma schema. */
export type Word<Name extends keyof Enums> = keyof Enums[Name]['values'] & string

interface EnumOptions<Value extends string> {
  description: string
  values: Readonly<Record<Value, { description: string }>>
}

/** The description and values of an enumeration, as the Prisma schema documents them. */
export const enumOptions = <Name extends keyof Enums>(name: Name) =>
  ENUMS[name] as unknown as EnumOptions<Word<Name>>
