/** The most items that a list in an answer can have: by it lists are priced, and none is longer. */
import {
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql'
import { ApiError } from '../../errors/errors.ts'

type Field = GraphQLField<unknown, unknown>

declare global {
  namespace PothosSchemaTypes {
    interface FieldOptions {
      /** The most items of a list of objects that is no page: every such list has it. */
      max_items?: number
    }
  }
}

/** An item of a list without pages is read with the others, in one piece: so many cost a point. */
export const ITEMS_PER_POINT = 50

/** True for a field that gives pages. */
export const hasPages = ({ args }: Pick<Field, 'args'>): boolean =>
  args.some(({ name }) => name === 'page_size')

/** The most items of a list without pages; null for one that declares none. */
export const maxItemsOf = ({ extensions }: Pick<Field, 'extensions'>): number | null =>
  (extensions.pothosOptions as { max_items?: number } | undefined)?.max_items ?? null

/** True for a list of objects. */
export const isObjectList = (type: GraphQLOutputType): boolean =>
  isListType(getNullableType(type)) && isCompositeType(getNamedType(type))

/** The most items of all lists without pages in a value of the type, which leads to itself in no way. */
function itemsIn(type: GraphQLOutputType, omitted: readonly string[] = []): number {
  const named = getNamedType(type)
  if (!isObjectType(named)) return 0
  return Object.values(named.getFields())
    .filter((field) => !omitted.includes(field.name) && !hasPages(field))
    .reduce((sum, field) => sum + itemsOf(field), 0)
}

/** The most items that the field gives, those of lists in it included. */
export const itemsOf = (field: Field, omitted: readonly string[] = []): number => {
  const items = maxItemsOf(field)
  const inside = itemsIn(field.type, omitted)
  return items === null ? inside : items * (1 + inside)
}

/** The value; an error if it is a longer list than the field declares. */
export function withinMaxItems<Value>(value: Value, max_items: number): Value {
  if (!Array.isArray(value) || value.length <= max_items) return value
  throw new ApiError('response_too_large', {
    message: `The list has ${value.length} items; an answer has at most ${max_items}.`,
    details: { max_items },
  })
}
