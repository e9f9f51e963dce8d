import { z } from 'zod'
import { INVALID_FIELDS, oneOf, text, texts, time, UNREADABLE, whole } from '../details.ts'
import { CORRECT_FIELDS, type ErrorTable, WAIT } from '../entry.ts'

export const CALLS = {
  bad_request: {
    status: 400,
    message: 'The request could not be read.',
    fix: 'Send what details.reason asks for.',
    details: UNREADABLE,
  },
  request_validation_failed: {
    status: 422,
    message: 'The request does not fit the operation.',
    fix: CORRECT_FIELDS,
    details: INVALID_FIELDS,
  },
  read_only_field: {
    status: 422,
    message: 'The request sets fields that cannot be set.',
    fix: 'Leave out the fields named in details.field_errors.',
    details: INVALID_FIELDS,
  },
  invalid_cursor: {
    status: 400,
    message: 'The cursor cannot be used here.',
    fix: 'Start again without a cursor; a cursor belongs to one list with one set of filters, for 24 hours.',
    details: z.object({
      reason: oneOf(['MALFORMED', 'FILTERS_CHANGED', 'EXPIRED'], 'What is wrong with it.'),
    }),
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
    details: z.object({ allow: texts('The methods that the path has.', ['GET', 'HEAD']) }),
  },
  payload_too_large: {
    status: 413,
    message: 'The request body is too large.',
    fix: 'Send at most details.max_bytes bytes.',
    details: z.object({ max_bytes: whole('The bytes of the largest body.', 1048576) }),
  },
  response_too_large: {
    status: 422,
    message: 'The answer would be larger than answers may be.',
    fix: 'Ask for fewer rows or fields: the largest answer has details.max_bytes bytes, or lists of details.max_items.',
    details: z.object({
      max_bytes: whole('The bytes of the largest answer.', 1048576).optional(),
      max_items: whole('The items of the longest list.').optional(),
    }),
  },
  unsupported_media_type: {
    status: 415,
    message: 'The request body must be JSON.',
    fix: 'Send Content-Type: application/json, without content encoding.',
    details: z.object({
      supported: texts('The media types that are accepted.', ['application/json']).optional(),
      supported_encodings: texts('The content encodings that are accepted.').optional(),
    }),
  },
  version_conflict: {
    status: 409,
    message: 'The resource has changed since it was read.',
    fix: 'Read it again and send its new ETag.',
    details: z.object({ current_etag: text('The `ETag` of the present version.', '"4"') }),
  },
  approval_required: {
    status: 409,
    message: 'A technician must approve this first.',
    fix: 'Wait for the decision on the request in details.til_request_id: an approval makes the call.',
    details: z.object({ til_request_id: text('The request to technicians.', 'til_7') }),
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
    details: z.object({
      first_request_id: text(
        'The id of the request that the key was used for.',
        '9b1f0c52-7e0a-4b58-9a51-0c6f6f1f7a11',
      ),
    }),
  },
  rate_limited: {
    status: 429,
    message: 'Too many requests.',
    fix: WAIT,
    retryable: true,
    details: z.object({
      name: text('The limit that is used up.', 'service_key_burst'),
      limit: whole('The most that it allows.', 60),
      window_seconds: whole('The seconds in which it does; none for work at the same time.', 1).optional(),
      retry_after_seconds: whole('The seconds to wait.', 1),
      scope: oneOf(['KEY', 'USER', 'TENANT', 'CONNECTION', 'IP', 'OPERATION'], 'What shares the limit.'),
      resets_at: time('When it allows more.', '2026-11-21T12:00:01.000Z').optional(),
    }),
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong on our side.',
    fix: 'Report the request_id.',
    retryable: true,
  },
  not_supported_by_system: {
    status: 409,
    message: 'The connected system cannot do this.',
    fix: 'Do it in the system itself, or connect one that can.',
  },
  upstream_unavailable: {
    status: 503,
    message: 'A system that the operation needs cannot be reached at the moment.',
    fix: `${WAIT} details.upstream names the kind of system.`,
    retryable: true,
    details: z.object({
      upstream: text('The kind of system that cannot be reached.', 'PSA'),
      reason: oneOf(
        ['OUTAGE', 'CREDENTIALS', 'UNKNOWN_FORM', 'TOO_MUCH', 'LIMIT'],
        'OUTAGE: it did not answer in time. CREDENTIALS: it does not accept those of the connection. UNKNOWN_FORM: it ' +
          'answered in a form that is none of its own. TOO_MUCH: it answered with more than the operation reads. ' +
          'LIMIT: it takes no more requests at present.',
      ).optional(),
    }),
  },
  service_unavailable: {
    status: 503,
    message: 'The service cannot answer at the moment.',
    fix: `${WAIT} A change may have been made all the same: with an Idempotency-Key it is made once.`,
    retryable: true,
  },
} as const satisfies ErrorTable
