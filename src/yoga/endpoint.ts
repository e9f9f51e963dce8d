/** GraphQL over HTTP, by Yoga. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import {
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  type ValidationRule,
} from 'graphql'
import { createLRUCache, createYoga, type Plugin } from 'graphql-yoga'
import type { CredentialKind } from '../access/credential.ts'
import { ApiError } from '../errors.ts'
import { charge } from '../graphql/admit.ts'
import type { Context, Services } from '../graphql/context.ts'
import { within } from '../graphql/deadline.ts'
import type { Operation } from '../graphql/operation.ts'
import { problemOf } from '../graphql/problem.ts'
import { JSON_TYPE, send } from '../http/answer.ts'
import { type Call, contextOf, identify, refuseGuessers } from '../http/call.ts'
import { commonHeaders, timingsOf } from '../http/headers.ts'
import { admit, executeOnce, type Locate } from './gate.ts'
import { graphiqlOptions } from './graphiql.ts'
import { MAX_TEXT, MAX_TOKENS } from './measure.ts'
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

interface Server {
  call: Call
  req: IncomingMessage
  res: ServerResponse
}

type YogaPlugin = Plugin<Context, Server>

/** What the schema's own rules let through, and its execution would fail on. */
const Executable: ValidationRule = (context) => ({
  OperationDefinition(node) {
    if (context.getSchema().getRootType(node.operation)) return
    context.reportError(new GraphQLError(`There is no ${node.operation} here.`, { nodes: node }))
  },
  VariableDefinition({ variable }) {
    // Variables are kept in plain objects, where this name is no property.
    if (variable.name.value !== '__proto__') return
    context.reportError(new GraphQLError('No variable can have this name.', { nodes: variable }))
  },
})

/** The error without the names of the schema that it suggests. */
const withoutSuggestion = ({ message, nodes = [] }: GraphQLError): GraphQLError =>
  new GraphQLError(message.replace(/ Did you mean [^?]+\?/, ''), { nodes })

/** Size of the text, number of tokens, and no reading of the schema by strangers. */
const documentLimits = ({ open_introspection }: EndpointOptions): YogaPlugin => ({
  onParams({ params }) {
    if (typeof params.query === 'string' && params.query.length > MAX_TEXT) {
      throw new ApiError('query_too_complex', {
        message: `The document has ${params.query.length} characters; the most is ${MAX_TEXT}.`,
        details: { limit: 'text', max_text: MAX_TEXT },
      })
    }
  },
  onParse({ setParseFn }) {
    setParseFn((source, options) => parse(source, { ...options, maxTokens: MAX_TOKENS }))
  },
  onValidate({ addValidationRule, context }) {
    const { call } = context as unknown as Server
    addValidationRule(Executable)
    if (open_introspection || call.viewer) return
    addValidationRule(NoSchemaIntrospectionCustomRule)
    return ({ valid, result, setResult }) => {
      if (!valid) setResult((result as GraphQLError[]).map(withoutSuggestion))
    }
  },
})

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

/** Only JSON is taken: no other type can be sent across sites without asking. */
function checkMediaType(req: IncomingMessage): void {
  if (req.method !== 'POST') return
  const type = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type === 'application/json') return
  throw new ApiError('unsupported_media_type', { details: { supported: ['application/json'] } })
}

/** JSON is what is answered, also to a client that would rather have something else. */
function settleAccept({ method, headers }: IncomingMessage, graphiql: boolean): void {
  const accept = headers.accept ?? ''
  const page = graphiql && method === 'GET' && accept.includes('text/html')
  if (!page && !JSON_TYPES.test(accept)) headers.accept = '*/*'
}

const JSON_TYPES = /\*\/\*|\bapplication\/(?:\*|json|graphql-response\+json)/i

/** 400 for a query string with variables or extensions that are no JSON. */
function checkSearch({ method, url = '' }: IncomingMessage): void {
  if (method !== 'GET') return
  const search = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  for (const name of ['variables', 'extensions']) {
    try {
      JSON.parse(search.get(name) || 'null')
    } catch {
      const reason = `The parameter ${name} is not JSON.`
      throw new ApiError('bad_request', { message: reason, details: { reason } })
    }
  }
}

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
    plugins: [documentLimits(options), gate(options), answers(options)],
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
