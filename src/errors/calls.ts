import { CORRECT_FIELDS, type ErrorTable, WAIT } from './entry.ts'

export const CALLS = {
  bad_request: {
    status: 400,
    message: 'The request could not be read.',
    fix: 'Send what details.reason asks for.',
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
  invalid_cursor: {
    status: 400,
    message: 'The cursor cannot be used here.',
    fix: 'Start again without a cursor; a cursor belongs to one list with one set of filters, for 24 hours.',
  },
  not_found: {
    status: 404,
    message: 'There is nothing at this path.',
    fix: 'See /public-api/docs for the paths.',
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
  response_too_large: {
    status: 422,
    message: 'The answer would be larger than answers may be.',
    fix: 'Ask for fewer rows or fields: the largest answer has details.max_bytes bytes, or lists of details.max_items.',
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
  approval_required: {
    status: 409,
    message: 'A technician must approve this first.',
    fix: 'Wait for the decision on the request in details.til_request_id: an approval makes the call.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still running.',
    fix: WAIT,
    retryable: true,
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
  upstream_unavailable: {
    status: 503,
    message: 'A system that the operation needs cannot be reached at the moment.',
    fix: `${WAIT} details.upstream names the kind of system.`,
    retryable: true,
  },
  service_unavailable: {
    status: 503,
    message: 'The service cannot answer at the moment.',
    fix: `${WAIT} A change may have been made all the same: with an Idempotency-Key it is made once.`,
    retryable: true,
  },
} as const satisfies ErrorTable
