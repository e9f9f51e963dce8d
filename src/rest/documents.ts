/** The documents beside the operations: the OpenAPI description and the pages that show it. */
import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Operation } from '../graphql/operation.ts'
import type { Service } from '../http/server.ts'

interface DocumentOptions {
  view: GraphQLSchema
  operations: readonly Operation[]
  log: Logger
}

export function documentService(_options: DocumentOptions): Service {
  return { name: 'documents', has: () => false, allowed: () => [], handle: async () => {} }
}
