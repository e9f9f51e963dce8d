/** GraphQL over HTTP, by Yoga. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { ExecutionResult, GraphQLSchema } from 'graphql'
import { createLRUCache, createYoga, type Plugin } from 'graphql-yoga'
import type { CredentialKind } from '../access/credential.ts'
import type { ApiError } from '../errors.ts'
import { charge } from '../graphql/admit.ts'
import type { Context, Services } from '../graphql/context.ts'
import { within } from '../graphql/deadline.ts'
import type { Operation } from '../graphql/operation.ts'
import { problemOf } from '../graphql/problem.ts'
import { JSON_TYPE, send } from '../http/answer.ts'
import { type Call, contextOf, identify, refuseGuessers } from '../http/call.ts'
import { commonHeaders, timingsOf } from '../http/headers.ts'
import { documentLimits } from './document.ts'
import { admit, executeOnce, type Locate } from './gate.ts'
import { graphiqlOptions } from './graphiql.ts'
import { checkMediaType, checkSearch, settleAccept } from './request.ts'
import { complete, formatted } from './result.ts'

/** A parsed document of the largest size takes a third of a megabyte, and anybody may send one. */
const KEPT_DOCUMENTS = 200

export const GRAPHQL_PATH = '/graphql'

interface EndpointOptions {
  services: Services
  credentials: readonly CredentialKind[]
  schema: GraphQLSchema
  operations: readonly Operation[]
  locate: Locate
  graphiql: boolean
  /** Whether strangers may read the schema. */
  open_introspection: boolean
  max_body_bytes: number
  /** Milliseconds that a query may take; a mutation has twice as long. */
  request_timeout_ms: number
}

export interface Server {
  call: Call
  req: IncomingMessage
  res: ServerResponse
}

export type YogaPlugin = Plugin<Context, Server>

/** Callers can combine operations in more ways than metrics and usage could count. */
function labelOf(operations: readonly Operation[]): string | null {
  const [name, ...others] = new Set(operations.map((operation) => operation.name))
  return others.length > 0 ? 'several' : (name ?? null)
}

/** Access, limits and input before execution; then a deadline, and `Idempotency-Key`. */
function gate({ operations, locate, services, request_timeout_ms }: EndpointOptions): YogaPlugin {
  const byName = new Map(operations.map((operation) => [operation.name, operation]))
  return {
    async onExecute({ args, executeFn, setExecuteFn, setResultAndStopExecution }) {
      const ctx = args.contextValue as Context
      const { params, call } = args.contextValue as unknown as Server & { params: { query?: string } }
      // Yoga hands resolvers a copy of the context it was given.
      call.context = ctx
      try {
        const admitted = await within(request_timeout_ms, admit(args, byName, locate))
        if (!admitted) return
        call.operation = labelOf(admitted.operations)
        const ms = admitted.operation.operation === 'query' ? request_timeout_ms : request_timeout_ms * 2
        const { idempotency_key } = ctx.request
        const execute = async () =>
          idempotency_key
            ? await executeOnce(args, admitted, idempotency_key, params.query ?? '', executeFn)
            : await executeFn(args)
        setExecuteFn(() => within(ms, execute()))
      } catch (error) {
        const problem = problemOf(error, services.log)
        setResultAndStopExecution({ errors: [formatted(problem, call.id, services.log, false)] })
      }
    },
  }
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
  const headers = { ...commonHeaders(call, timingsOf(call)), 'Content-Type': JSON_TYPE, ...error.headers }
  const shown = formatted(error, call.id, services.log, true)
  const body = JSON.stringify({ errors: [shown], extensions: { request_id: call.id } })
  send(req, res, { status: error.status, headers, body })
}

export type GraphqlHandler = (req: IncomingMessage, res: ServerResponse, call: Call) => Promise<void>

/** The GraphQL interface of the schema. */
export function createGraphql(options: EndpointOptions): GraphqlHandler {
  const { services, credentials, schema, graphiql, max_body_bytes, request_timeout_ms } = options
  const yoga = createYoga<Server, Context>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ call, req }) => contextOf(services, call, req),
    plugins: [documentLimits(options.open_introspection), gate(options), answers(options)],
    graphiql: graphiql ? graphiqlOptions() : false,
    renderGraphiQL,
    landingPage: false,
    batching: false,
    multipart: false,
    cors: false,
    maskedErrors: false,
    maxRequestBodySize: max_body_bytes,
    parserAndValidationCache: {
      documentCache: createLRUCache({ max: KEPT_DOCUMENTS }),
      errorCache: createLRUCache({ max: KEPT_DOCUMENTS }),
    },
    logging: false,
  })
  return async (req, res, call) => {
    try {
      refuseGuessers(services, call)
      await within(request_timeout_ms, identify(services, credentials, call, req))
      const demand = { viewer: call.viewer, ip: call.address, calls: 1, writes: 0, points: 0 } as const
      const standing = await within(request_timeout_ms, charge(services, demand))
      if (standing) call.standing = () => standing
      checkMediaType(req)
      checkSearch(req)
      settleAccept(req, graphiql)
      contextOf(services, call, req)
      await yoga.handle(req, res, { call, req, res })
    } catch (thrown) {
      refuse(req, res, call, problemOf(thrown, services.log), services)
    }
  }
}
