/** GraphQL over HTTP: by Yoga, and without it for queries that are in the document cache. */
import { Readable } from 'node:stream'
import { assertValidSchema, type ExecutionResult, type GraphQLSchema } from 'graphql'
import { createLRUCache, createYoga, type GraphQLParams } from 'graphql-yoga'
import { chargeRefusal } from '../gateway/address-limits.ts'
import { type Admission, admit, type Gateway } from '../gateway/admit.ts'
import type { Call } from '../gateway/call.ts'
import type { Context, Services } from '../gateway/context.ts'
import { toApiError } from '../gateway/errors.ts'
import type { Operation, Subscription } from '../gateway/operation.ts'
import { commonHeaders, timingsOf } from '../gateway/response-headers.ts'
import type { Exchange } from '../http/connections.ts'
import { readJson } from '../http/json.ts'
import { type HttpAnswer, JSON_TYPE, send } from '../http/send.ts'
import { GRAPHQL_PATH } from '../lib/api.ts'
import { createDocumentCache, MAX_DOCUMENTS, toHttpAnswer } from './document-cache.ts'
import { documentLimits } from './document-limits.ts'
import { sendStream } from './event-stream.ts'
import { executionPlugin } from './execution.ts'
import { type Locate, operationPreparer } from './prepare.ts'
import {
  acceptJson,
  acceptsStream,
  answerType,
  checkMediaType,
  checkQueryString,
  GRAPHQL_ANSWER,
  IGNORED_PARAMS,
  JSON_ANSWER,
  paramsIn,
  paramsInQuery,
} from './request.ts'
import { formatError, sentResult } from './result.ts'
import type { ServerContext, YogaPlugin } from './server-context.ts'
import { type StreamPart, streamOpener } from './subscription.ts'

interface GraphqlOptions {
  gateway: Gateway
  schema: GraphQLSchema
  operations: readonly Operation[]
  subscriptions: readonly Subscription[]
  locate: Locate
  /** True if callers without a credential may read the schema. */
  open_introspection: boolean
  /** False turns the fast path for queries that have been asked before off. */
  document_cache: boolean
}

export type GraphqlHandler = (exchange: Exchange<Call>) => Promise<void>

const completeAnswers = ({ log }: Services): YogaPlugin => ({
  onResultProcess({ result, setResult, serverContext }) {
    setResult(sentResult(result as ExecutionResult, serverContext.call, log))
  },
  onResponse({ response, serverContext }) {
    const { call } = serverContext
    const headers = commonHeaders(call, timingsOf(call))
    for (const [name, value] of Object.entries(headers)) {
      // The headers of an error take precedence.
      if (!response.headers.has(name)) response.headers.set(name, value)
    }
  },
})

/** The answer to a call that failed before its document was read. */
async function errorAnswer(services: Services, call: Call, thrown: unknown): Promise<HttpAnswer> {
  const error = await chargeRefusal(services, call, toApiError(thrown, services.log, call))
  call.problem = error
  const headers = { ...commonHeaders(call, timingsOf(call)), 'Content-Type': JSON_TYPE, ...error.headers }
  const shown = formatError(error, call, services.log, true)
  const body = JSON.stringify({ errors: [shown], extensions: { request_id: call.id } })
  return { status: error.status, headers, body }
}

const isStream = (result: unknown): result is AsyncIterable<StreamPart> =>
  typeof result === 'object' && result !== null && Symbol.asyncIterator in result

/** A body holds a skill of a megabyte, whose text grows as JSON. */
const MAX_BODY_BYTES = 2 * 1024 * 1024

/** The operations of a document are not known yet: `admitOperation` authorizes and charges them. */
const DOCUMENT: Admission = { operations: [], writes: 0, points: 0 }

/** The GraphQL interface of the schema. */
export function createGraphql(options: GraphqlOptions): GraphqlHandler {
  const { gateway, schema } = options
  const { services, request_timeout_ms } = gateway
  // Otherwise the first document waits for it.
  assertValidSchema(schema)
  const roots = [...options.operations, ...options.subscriptions]
  const prepare = operationPreparer({ ...options, operations: roots, request_timeout_ms })
  const cache = options.document_cache ? createDocumentCache(gateway, schema) : null
  const yoga = createYoga<ServerContext, Context>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ call }) => call.context as Context,
    plugins: [
      documentLimits(options.open_introspection),
      executionPlugin({ gateway, prepare, cache, openStream: streamOpener(gateway) }),
      completeAnswers(services),
    ],
    graphiql: false,
    landingPage: false,
    extraParamNames: IGNORED_PARAMS,
    batching: false,
    multipart: false,
    cors: false,
    maskedErrors: false,
    parserAndValidationCache: {
      documentCache: createLRUCache({ max: MAX_DOCUMENTS }),
      errorCache: createLRUCache({ max: MAX_DOCUMENTS }),
    },
    logging: false,
  })

  /** Answers a client that takes a stream: with one if it subscribes, with JSON if it does not. */
  async function answerStream(
    { request, res, call }: Exchange<Call>,
    params: NonNullable<ReturnType<typeof paramsIn>>,
  ): Promise<void> {
    const context = { call, req: request.message, res, streams: true }
    const fetched = new yoga.fetchAPI.Request(`http://localhost${GRAPHQL_PATH}`, { method: request.method })
    const result: unknown = await Promise.resolve(
      yoga.getResultForParams({ params: params as GraphQLParams, request: fetched }, context as never),
    ).catch((error: unknown) => ({ errors: [error] }))
    if (isStream(result)) {
      call.stream_opened = performance.now()
      services.measured.stream_opened()
      return await sendStream(res, commonHeaders(call, timingsOf(call)), result)
    }
    const complete = sentResult(result as ExecutionResult, call, services.log)
    const type = answerType(request) ?? (complete.data === undefined ? GRAPHQL_ANSWER : JSON_ANSWER)
    const { status, headers, body } = toHttpAnswer(complete, type)
    send(res, { status, headers: { ...commonHeaders(call, timingsOf(call)), ...headers }, body })
  }

  async function answer({ request, res, call }: Exchange<Call>): Promise<void> {
    const ctx = await admit(gateway, call, DOCUMENT)
    checkMediaType(request)
    checkQueryString(request)
    const streams = acceptsStream(request)
    const req = request.message
    if (request.method === 'POST') {
      request.max_body_bytes = MAX_BODY_BYTES
      const { bytes, value: body } = await readJson(request)
      const cached = cache && (await cache.answer(request, call, ctx, body))
      if (cached) return send(res, cached)
      const params = streams ? paramsIn(body) : null
      if (params) return await answerStream({ request, res, call, begun: true }, params)
      // Yoga takes a body that has been read from here; of a text it would count the characters one by one.
      Object.assign(req, { body: Readable.from([bytes]) })
    }
    const params = streams && request.method === 'GET' ? paramsInQuery(request) : null
    if (params) return await answerStream({ request, res, call, begun: true }, params)
    acceptJson(request)
    await yoga.handle(req, res, { call, req, res, streams: false })
  }

  return async (exchange) => {
    try {
      await answer(exchange)
    } catch (thrown) {
      send(exchange.res, await errorAnswer(services, exchange.call, thrown))
    }
  }
}
