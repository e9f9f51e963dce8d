/**
 * Queries that Yoga has parsed, validated and run before. Their next requests pass the same gate and give the same
 * answers, without its HTTP layer; after a few, they are compiled.
 */
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql'
import { createLRUCache } from 'graphql-yoga'
import { type RunDocument, runsOf } from '../gateway/execute.ts'
import { fieldsAt } from '../schema/document-fields.ts'
import type { Plan } from './plan.ts'

/** A parsed document of the largest size takes a third of a megabyte, and anybody may send one. */
export const KEPT_DOCUMENTS = 200

/** What the caller sends. */
export interface Params {
  query: string
  operationName: string | null
  variables: Record<string, unknown>
}

export interface Known {
  plan: Plan
  run: RunDocument
}

export interface KnownDocuments {
  remember(text: string, operationName: string | null | undefined, plan: Plan): void
  find(params: Params): Known | undefined
}

// Reading the schema is for some callers only, which validation judges. A compiled answer cannot hold __proto__.
const NEVER = /\b__(?:schema|type|proto__)\b/

const keyOf = (text: string, operationName: string | null | undefined): string =>
  `${operationName ?? ''}\n${text}`

/** A compiled query does not say where in the document an error arose. */
const withLocations = (
  { errors, ...result }: ExecutionResult,
  { document, operation }: Plan,
): ExecutionResult =>
  errors ? { ...result, errors: errors.map((error) => located(error, document, operation)) } : result

const located = (
  error: GraphQLError,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): GraphQLError =>
  new GraphQLError(error.message, {
    nodes: fieldsAt(document, operation, error.path ?? []),
    path: error.path ?? null,
    originalError: error,
    extensions: error.extensions,
  })

function knownOf(schema: GraphQLSchema, plan: Plan): Known {
  const run = runsOf(schema, plan.document, plan.operation.name?.value)
  return { plan, run: async (ctx, variables) => withLocations(await run(ctx, variables), plan) }
}

/** The documents of a schema that were asked for lately. */
export function knownDocuments(schema: GraphQLSchema): KnownDocuments {
  const known = createLRUCache<Known>({ max: KEPT_DOCUMENTS })
  return {
    remember(text, operationName, plan) {
      const key = keyOf(text, operationName)
      if (plan.operation.operation !== 'query' || NEVER.test(text) || known.get(key)) return
      known.set(key, knownOf(schema, plan))
    },
    find: ({ query, operationName }) => known.get(keyOf(query, operationName)),
  }
}
