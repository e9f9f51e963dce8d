/** Documents that walk the schema, for generated suites. */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Operation } from '../../src/gateway/operation.ts'
import { argumentsOf } from './samples.ts'
import type { Ids } from './suites/own.ts'

interface Relation {
  name: string
  /** The document that walks it from a list or a single read. */
  query: string
}

export const fieldsOf = (type: GraphQLNamedType): GraphQLField<unknown, unknown>[] =>
  isObjectType(type) ? Object.values(type.getFields()) : []
const isGraphOnly = (field: GraphQLField<unknown, unknown>): boolean =>
  Boolean((field.extensions.pothosOptions as { graph_only?: true } | undefined)?.graph_only)
export const isRelation = (field: GraphQLField<unknown, unknown>): boolean =>
  isGraphOnly(field) && !isLeafType(getNamedType(field.type))
const takesNothing = (field: GraphQLField<unknown, unknown>): boolean =>
  field.args.every(({ type }) => !isNonNullType(type))

/** The selection of everything that a value of the type says without walking further. */
export function leaves(type: GraphQLNamedType): string {
  const own = fieldsOf(type).filter((field) => !isGraphOnly(field) && takesNothing(field))
  const texts = own.map((field) => {
    const inner = getNamedType(field.type)
    return isLeafType(inner) ? field.name : `${field.name} ${leaves(inner)}`
  })
  return `{ ${texts.join(' ')} }`
}

/** The selections that lead from the type to relations, one for each. */
function walks(type: GraphQLNamedType): { relation: string; selection: string }[] {
  return fieldsOf(type).flatMap((field) => {
    const inner = getNamedType(field.type)
    if (isRelation(field)) {
      const size = field.args.some(({ name }) => name === 'page_size') ? '(page_size: 5)' : ''
      return [
        { relation: `${type.name}.${field.name}`, selection: `{ ${field.name}${size} ${leaves(inner)} }` },
      ]
    }
    return walks(inner).map(({ relation, selection }) => ({
      relation,
      selection: `{ ${field.name} ${selection} }`,
    }))
  })
}

const literal = (value: unknown, isEnum: boolean): string => (isEnum ? String(value) : JSON.stringify(value))

/** The documents that walk from the query to each relation below it. */
export function relationsFrom(schema: GraphQLSchema, operation: Operation, ids: Ids): Relation[] {
  const page = operation.field.args.some(({ name }) => name === 'page_size') ? { page_size: 5 } : {}
  const given = Object.entries({ ...argumentsOf(operation, ids), ...page }).map(([name, value]) => {
    const type = operation.field.args.find((arg) => arg.name === name)?.type
    return `${name}: ${literal(value, type !== undefined && 'getValues' in getNamedType(type))}`
  })
  const args = given.length > 0 ? `(${given.join(', ')})` : ''
  const root = schema.getQueryType()?.getFields()[operation.name]
  if (!root) return []
  return walks(getNamedType(root.type)).map(({ relation, selection }) => ({
    name: `${operation.name} to ${relation}`,
    query: `{ ${operation.name}${args} ${selection} }`,
  }))
}
