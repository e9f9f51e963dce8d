/** Converts thrown errors into API errors, and logs those that are the service's fault. */
import { GraphQLError } from 'graphql'
import type { Logger } from 'pino'
import { PortRefusal } from '../connectors/port.ts'
import { isConflict, isDiskFull, isOutage, isUnreadableTime } from '../db/errors.ts'
import { NeedsExternalRead } from '../db/external-reads.ts'
import { ApiError, type ErrorDetails, unavailable } from '../errors/errors.ts'
import { docsUrl } from '../lib/api.ts'
import { shownId } from '../lib/ids.ts'

/** The error that a resolver threw, which GraphQL wraps. */
export const causeOf = (error: unknown): unknown =>
  error instanceof GraphQLError && !(error instanceof ApiError) && error.originalError
    ? causeOf(error.originalError)
    : error

/** True for a conflict with another transaction: the same work may succeed when tried again. */
export const isLostRace = (error: unknown): boolean => isConflict(causeOf(error))

/** True if the work of a transaction waits for an answer of another system. */
export const needsExternalRead = (error: unknown): boolean => causeOf(error) instanceof NeedsExternalRead

/** The request that an error belongs to, as log lines name it. */
interface Origin {
  id: string
  operation: string | null
}

/** The request for which an error was logged last: an error passes several layers, wrapped and unwrapped. */
const logged = new WeakMap<object, string>()

function isLogged(error: unknown, id: string): boolean {
  if (typeof error !== 'object' || error === null) return false
  const is_logged = logged.get(error) === id
  logged.set(error, id)
  return is_logged
}

const DISK_FULL_RETRY_SECONDS = 30

function asApiError(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause
  if (cause instanceof PortRefusal && cause.reason === 'NOT_SUPPORTED')
    return new ApiError('not_supported_by_system', { cause })
  // The log says it once for all calls.
  if (isDiskFull(cause)) return unavailable(DISK_FULL_RETRY_SECONDS, cause, true)
  if (isConflict(cause)) return unavailable(1, cause)
  if (isOutage(cause) || isUnreadableTime(cause)) return unavailable(5, cause)
  return new ApiError('internal_error', { cause })
}

/** The error to answer with. A 5xx is logged once, with its cause, which the answer does not show. */
export function toApiError(error: unknown, log: Logger, { id, operation }: Origin): ApiError {
  const cause = causeOf(error)
  const problem = asApiError(cause)
  if (problem.status < 500 || problem.is_logged || isLogged(cause, id)) return problem
  logged.set(problem, id)
  const err = problem.originalError ?? problem
  log.error({ request_id: id, operation: operation ?? 'none', code: problem.code, err }, 'request failed')
  return problem
}

export interface ErrorBody {
  code: string
  message: string
  details: Record<string, unknown>
}

/** The ids in the details, as the caller sent them. */
const shownIds = ({ id, ids }: ErrorDetails): ErrorDetails => ({
  ...(typeof id === 'string' && { id: shownId(id) }),
  ...(Array.isArray(ids) && { ids: ids.map(String).map(shownId) }),
})

/** The error as both interfaces print it. */
export const errorBody = ({ code, message, details = {} }: ApiError, public_url: string): ErrorBody => ({
  code,
  message,
  details: { ...details, ...shownIds(details), docs_url: docsUrl(code, public_url) },
})
