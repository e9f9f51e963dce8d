/** The Prisma models and enumerations, as the schema is built of them. */
import { ENUMS } from '../db/generated/enums.ts'

export type { Models, Row } from '../db/query/models.ts'

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
