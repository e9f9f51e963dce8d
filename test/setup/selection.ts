/** Selections of whole answers, for GraphQL documents that are made from the schema. */
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { hasPages } from '../../src/schema/bounds/list-size.ts'

export interface Reach {
  /** How many relations it goes along. Of what the last one leads to it selects the `id`. */
  relations: number
  /** The size of pages in other objects; such pages are left out if it is null. */
  page_size: number | null
}

/** True for an object that caches hold once: it has an `id`. */
export const isEntity = (type: GraphQLObjectType): boolean => 'id' in type.getFields()

/** A cursor is another one each time; the previous company of a link is told by a mutation alone. */
const LEFT_OUT = new Set(['next_cursor', 'previous_end_company'])

function fieldOf(field: GraphQLField<unknown, unknown>, reach: Reach): string[] {
  if (field.args.some(isRequiredArgument) || LEFT_OUT.has(field.name)) return []
  const type = getNamedType(field.type)
  if (!isObjectType(type)) return field.args.length > 0 ? [] : [field.name]
  if (hasPages(field)) {
    const { page_size } = reach
    return page_size === null ? [] : [`${field.name}(page_size: ${page_size}) ${selectionOf(type, reach)}`]
  }
  if (!isEntity(type)) return [`${field.name} ${selectionOf(type, reach)}`]
  if (reach.relations === 0) return [`${field.name} { __typename id }`]
  return [`${field.name} ${selectionOf(type, { ...reach, relations: reach.relations - 1 })}`]
}

/** The selection of everything in a value of the type. */
export function selectionOf(of: GraphQLOutputType, reach: Reach): string {
  const type = getNamedType(of)
  if (!isObjectType(type)) return ''
  // Pages in pages would be more than a document may cost.
  const inside = isEntity(type) && reach.relations === 0 ? { ...reach, page_size: null } : reach
  const fields = Object.values(type.getFields()).flatMap((field) => fieldOf(field, inside))
  return `{ __typename ${fields.join(' ')} }`
}
