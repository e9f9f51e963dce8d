/** GraphQL over HTTP: by Yoga, and for queries that it has run before without it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ExecutionResult, GraphQLSchema } from 'graphql'
import { createLRUCache, createYoga } from 'graphql-yoga'
import type { CredentialKind } from '../access/credential.ts'
import type { ApiError } from '../errors.ts'
import { chargeCall, settle } from '../gateway/address-limits.ts'
import { contextOf, identify } from '../gateway/admit.ts'
import type { Call } from '../gateway/call.ts'
import type { Context, Services } from '../gateway/context.ts'
import { withDeadline } from '../gateway/deadline.ts'
import { problemOf } from '../gateway/errors.ts'
import type { Operation } from '../gateway/operation.ts'
import { commonHeaders, timingsOf } from '../gateway/response-headers.ts'
import { readBytes } from '../http/body.ts'
import { parseJson } from '../http/json.ts'
import { JSON_TYPE, send } from '../http/send.ts'
import { GRAPHQL_PATH } from '../lib/api.ts'
import { documentLimits } from './document-limits.ts'
import { gate } from './gate.ts'
import { graphiqlPage } from './graphiql.ts'
import { KEPT_DOCUMENTS, knownDocuments } from './known.ts'
import { runKnown } from './known-request.ts'
import { type Locate, planner } from './plan.ts'
import { asksForPage, checkMediaType, checkSearch, settleAccept } from './request.ts'
import { complete, formatted } from './result.ts'
import type { ServerContext, YogaPlugin } from './server-context.ts'

interface EndpointOptions {
  services: Services
  credentials: readonly CredentialKind[]
  schema: GraphQLSchema
  operations: readonly Operation[]
  locate: Locate
  graphiql: boolean
  /** Whether strangers may read the schema. */
  open_introspection: boolean
  /** Milliseconds that a query may take; a mutation has twice as long. */
  request_timeout_ms: number
}

const answers = ({ services }: EndpointOptions): YogaPlugin => ({
  onResultProcess({ result, setResult, serverContext }) {
    const { call } = serverContext
    setResult(complete(result as ExecutionResult, call, services.log))
  },
  onResponse({ response, serverContext }) {
    const { call } = serverContext
    const headers = commonHeaders(call, timingsOf(call))
    for (const [name, value] of Object.entries(headers)) {
      // An error's own headers say more.
      if (!response.headers.has(name)) response.headers.set(name, value)
    }
  },
})

function refuse(
  req: IncomingMessage,
  res: ServerResponse,
  call: Call,
  error: ApiError,
  services: Services,
): void {
  call.problem = error
  const headers = { ...commonHeaders(call, timingsOf(call)), 'Content-Type': JSON_TYPE, ...error.headers }
  const shown = formatted(error, call, services.log, true)
  const body = JSON.stringify({ errors: [shown], extensions: { request_id: call.id } })
  send(req, res, { status: error.status, headers, body })
}

export type GraphqlHandler = (req: IncomingMessage, res: ServerResponse, call: Call) => Promise<void>

/** The GraphQL interface of the schema. */
export function createGraphql(options: EndpointOptions): GraphqlHandler {
  const { services, credentials, schema, graphiql, request_timeout_ms } = options
  const plan = planner(options)
  const known = knownDocuments(schema)
  const page = graphiqlPage()
  const yoga = createYoga<ServerContext, Context>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ call, req }) => contextOf(services, call, req),
    plugins: [documentLimits(options.open_introspection), gate({ plan, known }), answers(options)],
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
    maskedErrors: false,
    parserAndValidationCache: {
      documentCache: createLRUCache({ max: KEPT_DOCUMENTS }),
      errorCache: createLRUCache({ max: KEPT_DOCUMENTS }),
    },
    logging: false,
  })

  async function answer(req: IncomingMessage, res: ServerResponse, call: Call): Promise<void> {
    await withDeadline(request_timeout_ms, identify(services, credentials, call, req))
    if (graphiql && asksForPage(req)) {
      call.settled = true
      const { headers, body } = await page()
      send(req, res, { status: 200, headers: { ...commonHeaders(call, timingsOf(call)), ...headers }, body })
      return
    }
    await chargeCall(services, call, { writes: 0, points: 0 }, request_timeout_ms)
    checkMediaType(req)
    checkSearch(req)
    settleAccept(req)
    const ctx = contextOf(services, call, req)
    if (req.method === 'POST') {
      const bytes = await readBytes(req)
      const body = parseJson(bytes, 'The body')
      if (await runKnown(known, req, res, { call, ctx, body })) return
      // Yoga takes a body that has been read from here; of a text it would count the characters one by one.
      Object.assign(req, { body: Readable.from([bytes]) })
    }
    await yoga.handle(req, res, { call, req, res })
  }

  return async (req, res, call) => {
    try {
      await answer(req, res, call)
    } catch (thrown) {
      const error = await settle(services, call, problemOf(thrown, services.log, call))
      refuse(req, res, call, error, services)
    }
  }
}
