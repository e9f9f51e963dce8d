/**
 * The fast path for queries, and single mutations, that Yoga has parsed, validated and run before. Their next requests
 * are admitted in the same way and get the same answers, without Yoga's HTTP layer; after a few, graphql-jit compiles
 * them. The endpoint has a switch that turns all of it off, and then behaves the same.
 */
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql'
import { createLRUCache, processRegularResult } from 'graphql-yoga'
import type { Gateway } from '../gateway/admit.ts'
import type { Call } from '../gateway/call.ts'
import type { Context } from '../gateway/context.ts'
import { withDeadline } from '../gateway/deadline.ts'
import { toApiError } from '../gateway/errors.ts'
import { documentRunner, type RunDocument } from '../gateway/execute.ts'
import { commonHeaders, timingsOf } from '../gateway/response-headers.ts'
import type { HttpRequest } from '../http/request.ts'
import type { HttpAnswer } from '../http/send.ts'
import { fieldsAt } from '../schema/document-fields.ts'
import { admitOperation, type PreparedOperation } from './prepare.ts'
import { answerType, paramsIn } from './request.ts'
import { formatError, sentResult } from './result.ts'

/** A parsed document of the largest size takes a third of a megabyte, and anybody may send one. */
export const MAX_DOCUMENTS = 200

interface CachedDocument {
  prepared: PreparedOperation
  run: RunDocument
}

export interface DocumentCache {
  /** Keeps the operation of a valid document, if it is a query or one mutation: several run one after the other. */
  add(text: string, operationName: string | null | undefined, prepared: PreparedOperation): void
  /** The answer to a request whose body holds a cached query; null for any other, which Yoga answers. */
  answer(request: HttpRequest, call: Call, ctx: Context, body: unknown): Promise<HttpAnswer | null>
}

// Only some callers may read the schema, which validation judges. A compiled answer cannot hold __proto__.
const NEVER_CACHED = /\b__(?:schema|type|proto__)\b/

const keyOf = (text: string, operationName: string | null | undefined): string =>
  `${operationName ?? ''}\n${text}`

/** The queries of a schema that were asked for lately. */
export function createDocumentCache(gateway: Gateway, schema: GraphQLSchema): DocumentCache {
  const documents = createLRUCache<CachedDocument>({ max: MAX_DOCUMENTS })
  return {
    add(text, operationName, prepared) {
      const key = keyOf(text, operationName)
      const { document, operation, operations } = prepared
      const isOne = operation.operation === 'query' || operations.length === 1
      if (!isOne || NEVER_CACHED.test(text) || documents.get(key)) return
      documents.set(key, { prepared, run: documentRunner(schema, document, operation.name?.value) })
    },
    async answer(request, call, ctx, body) {
      const params = paramsIn(body)
      const cached = params && documents.get(keyOf(params.query, params.operationName))
      const type = answerType(request)
      if (!cached || !type || ctx.request.idempotency_key !== null) return null
      const result = await resultOf(gateway, cached, call, ctx, params.variables)
      const { status, headers, body: text } = toHttpAnswer(sentResult(result, call, ctx.services.log), type)
      return { status, headers: { ...commonHeaders(call, timingsOf(call)), ...headers }, body: text }
    },
  }
}

async function resultOf(
  gateway: Gateway,
  { prepared, run }: CachedDocument,
  call: Call,
  ctx: Context,
  given: Record<string, unknown>,
): Promise<ExecutionResult> {
  const { log } = ctx.services
  try {
    call.operation = prepared.label
    const variables = await admitOperation(gateway, prepared, call, ctx, given)
    const result = await withDeadline(prepared.deadlineOf(variables), run(ctx, variables))
    return withLocations(result, prepared)
  } catch (error) {
    return { errors: [formatError(toApiError(error, log, call), call, log, false)] }
  }
}

/** A compiled query does not say where in the document an error arose. */
const withLocations = (
  { errors, ...result }: ExecutionResult,
  { document, operation }: PreparedOperation,
): ExecutionResult =>
  errors ? { ...result, errors: errors.map((error) => withLocation(error, document, operation)) } : result

const withLocation = (
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

/** Stands in for the Response of the Fetch standard, which Yoga fills. */
class PlainResponse {
  readonly body: string
  readonly status: number
  readonly headers: Record<string, string>

  constructor(body: string, { status, headers }: { status: number; headers: Record<string, string> }) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}

const fetchAPI = { Response: PlainResponse } as unknown as Parameters<typeof processRegularResult>[1]

/** The result as Yoga sends it. */
export const toHttpAnswer = (result: ExecutionResult, type: string): PlainResponse =>
  processRegularResult(result, fetchAPI, type) as unknown as PlainResponse
