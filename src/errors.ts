/** Errors that callers get: the table of codes, and the error class. */
import { GraphQLError } from 'graphql'

interface ErrorEntry {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503
  /** The default message. */
  message: string
  /** Advice for the caller. */
  fix: string
  /** The same request may succeed later. */
  retryable?: true
}

const GIVE_EXISTING_ID = 'Use an id that a listing of this tenant and environment returned.'
const WAIT = 'Wait for the seconds in the Retry-After header, then send the request again.'
const CORRECT_FIELDS = 'Correct the fields named in details.field_errors.'

/** Error codes. A code has exactly one status, and neither ever changes. */
export const ERRORS = {
  bad_request: {
    status: 400,
    message: 'The request could not be read.',
    fix: 'Send what details.reason asks for.',
  },
  invalid_cursor: {
    status: 400,
    message: 'The cursor cannot be used here.',
    fix: 'Start again without a cursor; a cursor belongs to one list with one set of filters, for 24 hours.',
  },
  invalid_timezone: {
    status: 400,
    message: 'The time zone is not one the service supports.',
    fix: 'Send an IANA zone name such as Europe/London, or null.',
  },
  invalid_window: {
    status: 400,
    message: 'The window must end after it starts.',
    fix: 'Send a from that is earlier than to.',
  },
  window_too_large: {
    status: 400,
    message: 'The window is too long.',
    fix: 'Ask for a shorter window; details.max_seconds is the longest.',
  },
  graphql_parse_failed: {
    status: 400,
    message: 'The GraphQL document could not be parsed.',
    fix: 'Correct the document at details.locations.',
  },
  graphql_validation_failed: {
    status: 400,
    message: 'The GraphQL document does not fit the schema.',
    fix: 'Correct the document at details.locations.',
  },
  query_too_complex: {
    status: 400,
    message: 'The GraphQL operation asks for too much at once.',
    fix: 'Ask for fewer rows or levels, or split the operation.',
  },
  unauthenticated: {
    status: 401,
    message: 'This operation needs a credential.',
    fix: 'Send Authorization: Bearer with an API key or an access token.',
  },
  invalid_credentials: {
    status: 401,
    message: 'The credential is not valid here.',
    fix: 'Check the key or sign in again.',
  },
  credentials_expired: {
    status: 401,
    message: 'The credential has expired.',
    fix: 'Create a new key or sign in again.',
  },
  credentials_revoked: {
    status: 401,
    message: 'The API key has been revoked.',
    fix: 'Use another key.',
  },
  environment_mismatch: {
    status: 401,
    message: 'The credential belongs to another environment.',
    fix: 'Use a credential of this environment.',
  },
  forbidden: {
    status: 403,
    message: 'The caller may not do this.',
    fix: 'Ask somebody with the role in details.required_role.',
  },
  tenant_suspended: {
    status: 403,
    message: 'The tenant is suspended.',
    fix: 'Ask the operator of the service to resume the tenant.',
  },
  insufficient_scope: {
    status: 403,
    message: 'The API key lacks a scope.',
    fix: 'Create a key with the scopes in details.required_scopes.',
  },
  dashboard_jwt_required: {
    status: 403,
    message: 'An API key cannot do this.',
    fix: 'Call as a dashboard user.',
  },
  acting_user_not_allowed: {
    status: 403,
    message: 'The acting user cannot be used with this key.',
    fix: 'Name a user of this tenant, with a key that allows it.',
  },
  ip_not_allowed: {
    status: 403,
    message: 'The API key may not be used from this address.',
    fix: 'Call from one of the networks in the key’s allowed_cidrs.',
  },
  not_found: {
    status: 404,
    message: 'There is nothing at this path.',
    fix: 'See /public-api/docs for the paths.',
  },
  unknown_integration: {
    status: 404,
    message: 'There is no integration of this name.',
    fix: 'Use a name from GET /public-api/integrations.',
  },
  agent_not_found: { status: 404, message: 'There is no such agent.', fix: GIVE_EXISTING_ID },
  execution_not_found: { status: 404, message: 'There is no such execution.', fix: GIVE_EXISTING_ID },
  user_not_found: { status: 404, message: 'There is no such user.', fix: GIVE_EXISTING_ID },
  permission_group_not_found: {
    status: 404,
    message: 'There is no such permission group.',
    fix: 'Use a name from GET /public-api/permission-groups.',
  },
  integration_request_not_found: {
    status: 404,
    message: 'There is no such integration request.',
    fix: GIVE_EXISTING_ID,
  },
  api_key_not_found: { status: 404, message: 'There is no such API key.', fix: GIVE_EXISTING_ID },
  end_company_not_found: { status: 404, message: 'There is no such end company.', fix: GIVE_EXISTING_ID },
  company_link_not_found: { status: 404, message: 'There is no such company link.', fix: GIVE_EXISTING_ID },
  psa_company_not_found: {
    status: 404,
    message: 'The PSA has no such company.',
    fix: 'Use a psa_company_id from GET /public-api/end-companies.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This path does not have this method.',
    fix: 'Use one of the methods in the Allow header.',
  },
  payload_too_large: {
    status: 413,
    message: 'The request body is too large.',
    fix: 'Send at most details.max_bytes bytes.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The request body must be JSON.',
    fix: 'Send Content-Type: application/json, without content encoding.',
  },
  version_conflict: {
    status: 409,
    message: 'The resource has changed since it was read.',
    fix: 'Read it again and send its new ETag.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still running.',
    fix: WAIT,
    retryable: true,
  },
  secret_already_issued: {
    status: 409,
    message: 'The secret was shown once, in the first answer to this Idempotency-Key.',
    fix: 'Rotate the key in details.api_key_id to get a new secret.',
  },
  last_owner: {
    status: 409,
    message: 'A tenant keeps at least one OWNER.',
    fix: 'Make somebody else OWNER first.',
  },
  api_key_already_rotated: {
    status: 409,
    message: 'The API key has been rotated already.',
    fix: 'Rotate its replacement.',
  },
  api_key_not_active: { status: 409, message: 'The API key is not active.', fix: 'Create a new key.' },
  api_key_limit_reached: {
    status: 409,
    message: 'The environment has as many active keys as it may have.',
    fix: 'Revoke a key that is not used.',
  },
  api_key_name_taken: {
    status: 409,
    message: 'Another active key has this name.',
    fix: 'Choose another name.',
  },
  company_link_unmapped: {
    status: 409,
    message: 'A link without a company cannot be confirmed.',
    fix: 'Map it to a company instead.',
  },
  integration_exists: {
    status: 409,
    message: 'The service has this integration already.',
    fix: 'See details.name in the integrations listing.',
  },
  request_validation_failed: {
    status: 422,
    message: 'The request does not fit the operation.',
    fix: CORRECT_FIELDS,
  },
  read_only_field: {
    status: 422,
    message: 'The request sets fields that cannot be set.',
    fix: 'Leave out the fields named in details.field_errors.',
  },
  business_hours_order: {
    status: 422,
    message: 'Business hours must end after they start.',
    fix: CORRECT_FIELDS,
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used for another request.',
    fix: 'Use a new key for a new request.',
  },
  rate_limited: { status: 429, message: 'Too many requests.', fix: WAIT, retryable: true },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side.',
    fix: 'Report the request_id.',
    retryable: true,
  },
  service_unavailable: {
    status: 503,
    message: 'The service cannot answer at the moment.',
    fix: `${WAIT} A change may have been made all the same: with an Idempotency-Key it is made once.`,
    retryable: true,
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof ERRORS

export interface FieldError {
  /** Path of the field: `windows.0.day`. */
  field: string
  location: 'body' | 'query' | 'path' | 'header'
  code: string
  message: string
}

/** A problem with a field of the body. */
export const bodyProblem = (field: string, code: string, message: string): FieldError => ({
  field,
  location: 'body',
  code,
  message,
})

export interface ErrorDetails {
  field_errors?: FieldError[]
  [detail: string]: unknown
}

interface ApiErrorOptions {
  message?: string
  details?: ErrorDetails
  headers?: Record<string, string>
  cause?: unknown
}

export class ApiError extends GraphQLError {
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetails | undefined
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, { message, details, headers = {}, cause }: ApiErrorOptions = {}) {
    super(message ?? ERRORS[code].message, cause === undefined ? {} : { originalError: cause as Error })
    this.code = code
    this.status = ERRORS[code].status
    this.details = code === 'bad_request' ? { reason: this.message, ...details } : details
    this.headers = headers
  }
}

/** 422 with the invalid fields. */
export function invalid(field_errors: FieldError[], code: ErrorCode = 'request_validation_failed'): ApiError {
  const [first] = field_errors
  return new ApiError(code, {
    ...(code === 'request_validation_failed' && first && { message: `${first.field}: ${first.message}` }),
    details: { field_errors },
  })
}

/** The row, or 404. A row that the caller may not see is answered as one that does not exist. */
export function found<T>(row: T | null | undefined, code: ErrorCode, id: string): T {
  if (row === null || row === undefined) throw new ApiError(code, { details: { id } })
  return row
}

/** 405 with the methods that the path has. */
export const methodNotAllowed = (allow: readonly string[]): ApiError =>
  new ApiError('method_not_allowed', { details: { allow }, headers: { Allow: allow.join(', ') } })

/** 503, for an outage of the service or of a dependency. */
export function unavailable(retryAfterSeconds: number, cause?: unknown): ApiError {
  return new ApiError('service_unavailable', { headers: { 'Retry-After': String(retryAfterSeconds) }, cause })
}
