/** The schema of every area, and its REST view. */
import './areas/index.ts'
import type { GraphQLSchema } from 'graphql'
import type { Operation } from './gateway/operation.ts'
import { builder } from './schema/builder.ts'
import { operationsOf } from './schema/operation.ts'

export interface Schemas {
  schema: GraphQLSchema
  /** The schema without graph-only fields, in the order of the source. */
  rest_view: GraphQLSchema
  operations: Operation[]
}

/** Builds the REST view at once, and the whole schema at its first use. */
export function buildSchemas(from: Pick<typeof builder, 'toSchema'> = builder): Schemas {
  const rest_view = from.toSchema({ rest_view: true, sortSchema: false })
  let schema: GraphQLSchema | undefined
  return {
    get schema() {
      schema ??= from.toSchema({ sortSchema: false })
      return schema
    },
    rest_view,
    operations: operationsOf(rest_view),
  }
}
