/** The forms of the answers of Autotask PSA. Sources as in `api.ts`. */
import { z } from 'zod'

export interface Identified {
  id: number
}

/** A choice of a field that is a number, with what people call it. `value` comes as text, or as a number. [DA] */
export interface Choice {
  value: number
  label: string
  is_active: boolean
  is_default: boolean
  is_system: boolean
  order: number
}

/** The choices of an entity’s fields, by their names. */
export type Choices = Readonly<Record<string, readonly Choice[]>>

/** null: its value is a text. Such fields are not read. */
const CHOICE = z
  .object({
    value: z.coerce.number(),
    label: z.string(),
    isActive: z.boolean().nullish(),
    isDefaultValue: z.boolean().nullish(),
    isSystem: z.boolean().nullish(),
    sortOrder: z.number().nullish(),
  })
  .transform(
    ({ value, label, isActive, isDefaultValue, isSystem, sortOrder }): Choice => ({
      value,
      label,
      is_active: isActive !== false,
      is_default: isDefaultValue === true,
      is_system: isSystem === true,
      order: sortOrder ?? 0,
    }),
  )
  .nullable()
  .catch(null)
const FIELD = z.object({
  name: z.string(),
  picklistValues: z
    .array(CHOICE)
    .nullish()
    .transform((all) => all?.filter((choice) => choice !== null) ?? []),
})
export const FIELDS = z.object({ fields: z.array(FIELD) })

export const PAGE = z.object({
  items: z.array(z.looseObject({ id: z.number() })),
  pageDetails: z.object({ nextPageUrl: z.string().nullish() }),
})
export const ITEM = z.object({ item: z.looseObject({ id: z.number() }).nullable() })
export const MADE = z.object({ itemId: z.number() })
/** [GO, N8] */
export const COUNT = z.object({ queryCount: z.number() })

/** Times are UTC; some are written without a zone. [HP; recorded in PM] What is no time is as long ago as can be. */
export function instant(text: string | null | undefined): Date {
  const date = new Date(text ? (/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`) : 0)
  return Number.isNaN(date.getTime()) ? new Date(0) : date
}

export const fullName = ({
  firstName,
  lastName,
}: {
  firstName?: string | null
  lastName?: string | null
}): string => [firstName, lastName].filter(Boolean).join(' ')
