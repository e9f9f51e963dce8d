/** Turns whatever was thrown into the error that the caller is told. */
import { GraphQLError } from 'graphql'
import type { Logger } from 'pino'
import { isConflict, isOutage } from '../db/outage.ts'
import { ApiError, unavailable } from '../errors.ts'

const DOCS = '/public-api/docs/errors'

const causeOf = (error: unknown): unknown =>
  error instanceof GraphQLError && !(error instanceof ApiError) && error.originalError
    ? causeOf(error.originalError)
    : error

/** Whether two transactions were in each other's way: the same work may succeed when tried again. */
export const lostRace = (error: unknown): boolean => isConflict(causeOf(error))

/** The error to answer with. What is not the caller's doing is logged with its cause and told without it. */
export function problemOf(error: unknown, log: Logger): ApiError {
  const cause = causeOf(error)
  if (cause instanceof ApiError) {
    if (cause.status >= 500) log.error({ err: cause.originalError ?? cause }, cause.message)
    return cause
  }
  if (isOutage(cause) || isConflict(cause)) {
    log.error({ err: cause }, 'the database could not answer')
    return unavailable(isConflict(cause) ? 1 : 5, cause)
  }
  log.error({ err: cause }, 'unexpected error')
  return new ApiError('internal_error')
}

export interface PresentedError {
  code: string
  message: string
  details: Record<string, unknown>
}

/** The error as both interfaces print it. */
export const presented = ({ code, message, details }: ApiError): PresentedError => ({
  code,
  message,
  details: { ...details, docs_url: `${DOCS}#${code}` },
})
