/** The schema of every area, and its REST view. */
import './areas/index.ts'
import type { GraphQLSchema } from 'graphql'
import type { Operation } from './gateway/operation.ts'
import { builder } from './schema/builder.ts'
import { operationsOf } from './schema/operation.ts'

export interface Schemas {
  schema: GraphQLSchema
  /** Without what only the graph has; fields in the order in which they were written. */
  rest_view: GraphQLSchema
  operations: Operation[]
}

/** The whole schema is built when somebody asks for it. */
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
