/** The shape of GraphQL answers: errors with our codes, and the values of REST's `meta` in `extensions`. */
import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Logger } from 'pino'
import { ApiError, ERRORS, type ErrorCode } from '../errors/errors.ts'
import { answerJson } from '../gateway/answer-json.ts'
import type { Call } from '../gateway/call.ts'
import type { Context } from '../gateway/context.ts'
import { errorBody, toApiError } from '../gateway/errors.ts'

/** Our codes for those of Yoga's own refusals. */
const FROM_YOGA: Record<string, ErrorCode> = {
  GRAPHQL_PARSE_FAILED: 'graphql_parse_failed',
  GRAPHQL_VALIDATION_FAILED: 'graphql_validation_failed',
  BAD_REQUEST: 'bad_request',
  OPERATION_RESOLUTION_FAILURE: 'graphql_validation_failed',
}

/** Our codes for the statuses of Yoga's own refusals. */
const BY_STATUS: Record<number, ErrorCode> = {
  405: 'method_not_allowed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
}

/** Codes whose status the HTTP answer has too. */
const OWN_STATUS: ReadonlySet<ErrorCode> = new Set(['bad_request', 'response_too_large'])

/** Statuses that the HTTP answer has too, whatever the media type. */
const HTTP_STATUSES = new Set([401, 403, 405, 409, 413, 415, 429, 503])

function fromYoga(error: GraphQLError): ApiError | null {
  if (error instanceof ApiError) return null
  const { http } = error.extensions as { http?: { status?: number; headers?: Record<string, string> } }
  const code = BY_STATUS[http?.status ?? 0] ?? FROM_YOGA[String(error.extensions.code)]
  if (!code) return null
  const { locations } = error
  return new ApiError(code, {
    message: error.message,
    details: { ...(locations && { locations }) },
    headers: http?.headers ?? {},
  })
}

/** The HTTP side of an error: the specification's 400 before execution, our own statuses if they matter. */
function httpOf(error: GraphQLError, { code, status, headers }: ApiError, executed: boolean): object {
  if (executed) return {}
  if (HTTP_STATUSES.has(status) || OWN_STATUS.has(code)) return { http: { status, headers } }
  const { http } = error.extensions as { http?: { status?: number; headers?: Record<string, string> } }
  if (http) return { http: { ...http, headers: { ...http.headers, ...headers } } }
  return { http: { status: 400, spec: true, headers } }
}

/** An error as GraphQL clients get it. An error of a stored answer is formatted already. */
export function formatError(
  error: GraphQLError,
  call: Pick<Call, 'id' | 'operation' | 'public_url'>,
  log: Logger,
  executed: boolean,
): GraphQLError {
  if (error.extensions?.request_id) return error
  const problem = fromYoga(error) ?? toApiError(error, log, call)
  const { code, message, details } = errorBody(problem, call.public_url)
  return new GraphQLError(message, {
    ...(error.nodes && { nodes: error.nodes }),
    ...(error.source && { source: error.source }),
    ...(error.positions && { positions: error.positions }),
    ...(error.path && { path: error.path }),
    originalError: problem,
    extensions: {
      code,
      status: ERRORS[problem.code].status,
      request_id: call.id,
      details,
      ...httpOf(error, problem, executed),
    },
  })
}

/** Statuses that the HTTP answer has if the whole execution was refused with them. */
const WHOLE_RESULT_STATUSES = new Set([401, 403, 429, 503])

/** The HTTP side of an execution: 200, unless all of it was refused in the same way. */
function httpOfExecution(data: ExecutionResult['data'], errors: readonly GraphQLError[]): object {
  const [first, ...others] = errors.map(({ originalError }) => originalError as unknown as ApiError)
  if (
    !first ||
    !WHOLE_RESULT_STATUSES.has(first.status) ||
    others.some(({ status }) => status !== first.status)
  )
    return {}
  if (Object.values(data ?? {}).some((value) => value !== null)) return {}
  return { http: { status: first.status, headers: first.headers } }
}

/** The entity tags of the fields that have a value, by response key, in the order of the answer; null for none. */
function etagsIn({ data }: ExecutionResult, { context }: Call): Record<string, string> | null {
  const etags = context?.etags
  if (!data || !etags?.size) return null
  const own = Object.entries(data).flatMap(([key, value]) =>
    value && etags.has(key) ? [[key, etags.get(key)]] : [],
  )
  return own.length > 0 ? Object.fromEntries(own) : null
}

/** The result with the text of its data. */
function withText(result: ExecutionResult, context: Context): ExecutionResult {
  const data = answerJson(context, result.data)
  const stringify = ({ data: _data, stringify: _own, ...others }: Record<string, unknown>): string =>
    `${JSON.stringify(others).slice(0, -1)},"data":${data}}`
  return Object.assign(result, { stringify })
}

const isTooLarge = ({ originalError }: GraphQLError): boolean =>
  originalError instanceof ApiError && originalError.code === 'response_too_large'

/** The whole answer, as it is sent; the error alone if any of it is too large. */
export function sentResult(result: ExecutionResult, call: Call, log: Logger): ExecutionResult {
  const complete = completeResult(result, call, log)
  const { context } = call
  if (!context || complete.data === undefined) return complete
  try {
    const refused = complete.errors?.find(isTooLarge)
    if (refused) throw refused.originalError
    return withText(complete, context)
  } catch (error) {
    const problem = toApiError(error, log, call)
    call.problem = problem
    return { errors: [formatError(problem, call, log, false)], extensions: { request_id: call.id } }
  }
}

/** The whole answer. */
export function completeResult(result: ExecutionResult, call: Call, log: Logger): ExecutionResult {
  const executed = result.data !== undefined
  const errors = result.errors?.map((error) => formatError(error, call, log, executed))
  if (errors?.[0]) call.problem = errors[0].extensions as unknown as NonNullable<Call['problem']>
  const { warnings = [] } = call.context ?? {}
  const etags = etagsIn(result, call)
  return {
    ...(errors && { errors }),
    ...(executed && { data: result.data }),
    extensions: {
      ...result.extensions,
      ...(executed && httpOfExecution(result.data, errors ?? [])),
      request_id: call.id,
      ...(warnings.length > 0 && { warnings }),
      ...(etags && { etags }),
    },
  }
}
