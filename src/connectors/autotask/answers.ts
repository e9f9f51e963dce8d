/** The forms of the answers of Autotask PSA. Sources as in `api.ts`. */
import { z } from 'zod'
import { choiceId, count, maybe, text } from '../http/forms.ts'
import { timeOf } from '../times.ts'

/** Ids of most things are larger than others count to. */
export const id = z.int().min(0)
export const idOrNone = maybe(id)

export const IDENTIFIED = z.object({ id })
export type Identified = z.infer<typeof IDENTIFIED>

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
    value: z.coerce.number().pipe(choiceId),
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
  items: z.array(z.record(z.string(), z.unknown())),
  pageDetails: z.object({ nextPageUrl: text }),
})
export const ITEM = z.object({ item: z.unknown() })
export const MADE = z.object({ itemId: id })
/** [GO, N8] */
export const COUNT = z.object({ queryCount: count })

/** Times are UTC; some are written without a zone. [HP; recorded in PM] What is no time is as long ago as can be. */
export const instant = (written: string | undefined): Date => timeOf(written) ?? new Date(0)

interface Person {
  firstName?: string | undefined
  lastName?: string | undefined
}

export const fullName = ({ firstName, lastName }: Person): string =>
  [firstName, lastName].filter(Boolean).join(' ')
