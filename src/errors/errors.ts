/** Errors that callers get: the catalogue of codes, and the error class. */
import { GraphQLError } from 'graphql'
import type { z } from 'zod'
import { AGENTS } from './codes/agents.ts'
import { API_KEYS } from './codes/api-keys.ts'
import { AUDIT_LOG } from './codes/audit-log.ts'
import { CALLBACKS } from './codes/callbacks.ts'
import { CALLS } from './codes/calls.ts'
import { CHANNELS } from './codes/channels.ts'
import { COMMS } from './codes/comms.ts'
import { COMPANY_FILTERS } from './codes/company-filters.ts'
import { COMPANY_LINKS } from './codes/company-links.ts'
import { CREDENTIALS } from './codes/credentials.ts'
import { DISPATCH } from './codes/dispatch.ts'
import { END_COMPANIES } from './codes/end-companies.ts'
import { END_USERS } from './codes/end-users.ts'
import { ESCALATION } from './codes/escalation.ts'
import { EVENTS } from './codes/events.ts'
import { EXECUTIONS } from './codes/executions.ts'
import { FEEDBACK } from './codes/feedback.ts'
import { GRAPHQL } from './codes/graphql.ts'
import { INBOX } from './codes/inbox.ts'
import { INTEGRATIONS } from './codes/integrations.ts'
import { MEMORIES } from './codes/memories.ts'
import { RMM_SCRIPTS } from './codes/rmm-scripts.ts'
import { SCHEDULED_WORK } from './codes/scheduled-work.ts'
import { SETTINGS } from './codes/settings.ts'
import { SKILLS } from './codes/skills.ts'
import { TECHNICIANS } from './codes/technicians.ts'
import { TENANT } from './codes/tenant.ts'
import { TIL_REQUESTS } from './codes/til-requests.ts'
import { TIME } from './codes/time.ts'
import { WEBHOOKS } from './codes/webhooks.ts'
import type { FieldError } from './details.ts'

/** Every error code, by area. A code has exactly one status, and neither ever changes. */
export const ERRORS = {
  ...CALLS,
  ...GRAPHQL,
  ...CREDENTIALS,
  ...TIME,
  ...AGENTS,
  ...API_KEYS,
  ...AUDIT_LOG,
  ...CALLBACKS,
  ...CHANNELS,
  ...COMMS,
  ...COMPANY_FILTERS,
  ...COMPANY_LINKS,
  ...DISPATCH,
  ...RMM_SCRIPTS,
  ...END_COMPANIES,
  ...END_USERS,
  ...ESCALATION,
  ...EVENTS,
  ...EXECUTIONS,
  ...FEEDBACK,
  ...INBOX,
  ...INTEGRATIONS,
  ...MEMORIES,
  ...SCHEDULED_WORK,
  ...SETTINGS,
  ...SKILLS,
  ...TECHNICIANS,
  ...TENANT,
  ...TIL_REQUESTS,
  ...WEBHOOKS,
}

export type ErrorCode = keyof typeof ERRORS

/** True if the same request may succeed later. */
export const isRetryable = (code: ErrorCode): boolean => 'retryable' in ERRORS[code]

export type { FieldError }

/** A problem with a field of the body. */
export const bodyProblem = (field: string, code: string, message: string): FieldError => ({
  field,
  location: 'body',
  code,
  message,
})

export type ErrorDetails = Readonly<Record<string, unknown>>

type Table = typeof ERRORS

/** The `details` that an error of the code is made with. The reason of a `bad_request` is its message. */
type DetailsOf<Code extends ErrorCode> = Code extends 'bad_request'
  ? { field_errors?: FieldError[] }
  : Table[Code] extends { details: infer Shape extends z.ZodType }
    ? z.input<Shape>
    : Record<never, never>

/** The codes whose `details` have such members. */
type CodeWith<Members> = {
  [Code in ErrorCode]: Table[Code] extends { details: z.ZodType }
    ? DetailsOf<Code> extends Members
      ? Code
      : never
    : never
}[ErrorCode]

interface BaseOptions {
  message?: string
  headers?: Record<string, string>
  cause?: unknown
  /** True if the code that makes the error logs its cause itself. */
  is_logged?: boolean
}

/** The details may be left out if the code needs none. */
type ApiErrorOptions<Code extends ErrorCode> = BaseOptions &
  (Record<never, never> extends DetailsOf<Code>
    ? { details?: DetailsOf<Code> | undefined }
    : { details: DetailsOf<Code> })

type Arguments<Code extends ErrorCode> =
  Record<never, never> extends DetailsOf<Code>
    ? [options?: ApiErrorOptions<Code>]
    : [options: ApiErrorOptions<Code>]

export class ApiError<Code extends ErrorCode = ErrorCode> extends GraphQLError {
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetails | undefined
  readonly headers: Record<string, string>
  readonly is_logged: boolean

  constructor(code: Code, ...[options]: Arguments<Code>) {
    const given: BaseOptions & { details?: ErrorDetails | undefined } = options ?? {}
    const { message, details, headers = {}, cause, is_logged = false } = given
    super(message ?? ERRORS[code].message, cause === undefined ? {} : { originalError: cause as Error })
    this.code = code
    this.status = ERRORS[code].status
    this.details = code === 'bad_request' ? { reason: this.message, ...details } : details
    this.headers = headers
    this.is_logged = is_logged
  }
}

/** 422 with the invalid fields. */
export function invalid(
  field_errors: FieldError[],
  code: CodeWith<{ field_errors: FieldError[] }> = 'request_validation_failed',
): ApiError {
  const [first] = field_errors
  return new ApiError(code, {
    ...(code === 'request_validation_failed' && first && { message: `${first.field}: ${first.message}` }),
    details: { field_errors },
  })
}

/** The codes of an id that there is not. */
export type UnknownIdCode = CodeWith<{ id?: string | undefined }>

/** The row, or 404. A row that the caller may not see is answered as one that does not exist. */
export function found<T>(row: T | null | undefined, code: UnknownIdCode, id: string | number): T {
  if (row === null || row === undefined) throw new ApiError(code, { details: { id: String(id) } })
  return row
}

/** 405 with the methods that the path has. */
export const methodNotAllowed = (allow: readonly string[]): ApiError =>
  new ApiError('method_not_allowed', { details: { allow }, headers: { Allow: allow.join(', ') } })

/** 503, for an outage of the service or of a dependency. */
export function unavailable(retryAfterSeconds: number, cause?: unknown, is_logged = false): ApiError {
  const headers = { 'Retry-After': String(retryAfterSeconds) }
  return new ApiError('service_unavailable', { headers, cause, is_logged })
}

/** 503, for a process that answers no more, of which the log tells once and not for each call. */
export const turnedAway = (retryAfterSeconds: number): ApiError =>
  unavailable(retryAfterSeconds, undefined, true)
