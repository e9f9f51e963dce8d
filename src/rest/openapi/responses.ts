/** What an operation can answer. */
import { STATUS_CODES } from 'node:http'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { Operation } from '../../gateway/operation.ts'
import { successSchema } from './envelopes.ts'
import { canBeCurrent, hasEtag, headerRefs } from './headers.ts'
import { JSON_MEDIA_TYPE, type Json, ref } from './json.ts'
import type { Schemas } from './schemas.ts'

const content = (media: Json): Json => ({ [JSON_MEDIA_TYPE]: media })

/** The statuses whose answers say when to come back. */
const WITH_RETRY_AFTER: readonly ErrorCode[] = [
  'rate_limited',
  'service_unavailable',
  'idempotency_in_progress',
]

const errorHeaders = (status: number, codes: readonly ErrorCode[]): string[] => [
  ...(status === 401 ? ['WWW-Authenticate'] : []),
  ...(codes.some((code) => WITH_RETRY_AFTER.includes(code)) ? ['Retry-After'] : []),
]

const explained = (code: ErrorCode): string => `- \`${code}\`: ${ERRORS[code].message}`

const errorResponse = (status: number, codes: readonly ErrorCode[]): Json => ({
  description: `${STATUS_CODES[status]}\n\n${codes.map(explained).join('\n')}`,
  'x-error-codes': codes,
  headers: headerRefs(...errorHeaders(status, codes)),
  content: content({
    schema: ref('schemas', 'ErrorResponse'),
    examples: Object.fromEntries(codes.map((code) => [code, ref('examples', code)])),
  }),
})

/** The error answers of an operation, by status. */
export function errorResponses(codes: readonly ErrorCode[]): Record<string, Json> {
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => [String(status), errorResponse(status, own)]),
  )
}

/** Whether the operation makes something that has a path of its own. */
const creates = ({ rest, kind }: Operation, operations: readonly Operation[]): boolean =>
  kind === 'mutation' &&
  rest.method === 'POST' &&
  operations.some(
    (other) =>
      other.rest.method === 'GET' &&
      other.rest.path.startsWith(`${rest.path}/{`) &&
      other.rest.path.split('/').length === rest.path.split('/').length + 1,
  )

/** The successes of an operation; 304 is one, without a body. */
export function successResponses(
  operation: Operation,
  operations: readonly Operation[],
  schemas: Schemas,
): Record<string, Json> {
  const etag = hasEtag(operation) ? ['ETag'] : []
  const headers = headerRefs(
    ...etag,
    ...(creates(operation, operations) ? ['Location'] : []),
    ...(operation.kind === 'mutation' ? ['Idempotency-Replayed'] : []),
  )
  const success = {
    description: 'Success.',
    headers,
    content: content({ schema: successSchema(operation, schemas) }),
  }
  if (!canBeCurrent(operation)) return { 200: success }
  return {
    200: success,
    304: { description: 'The version in `If-None-Match` is current.', headers: headerRefs('ETag') },
  }
}

/** Details that an example shows beside the address of the documentation. */
const EXAMPLE_DETAILS: Partial<Record<ErrorCode, Json>> = {
  rate_limited: {
    name: 'service_key_burst',
    limit: 60,
    window_seconds: 1,
    retry_after_seconds: 1,
    scope: 'KEY',
    resets_at: '2026-11-21T12:00:01.000Z',
  },
}

/** The envelope of every code, as an example. */
export const errorExamples = (codes: readonly ErrorCode[]): Record<string, Json> =>
  Object.fromEntries(
    codes.map((code) => {
      const { message, fix } = ERRORS[code]
      const details = { ...EXAMPLE_DETAILS[code], docs_url: `/public-api/docs/errors#${code}` }
      const error = { code, message, details }
      const value = { error, meta: { request_id: '3f2b8a54-6d1e-4c9b-9a70-5e8c1d2f4b6a' } }
      return [code, { summary: code, description: fix, value }]
    }),
  )
