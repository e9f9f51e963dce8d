/** The error responses of operations. Each is a component with its own list of codes. */
import { STATUS_CODES } from 'node:http'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { Operation } from '../../gateway/operation.ts'
import { codesOf } from '../../schema/error-codes.ts'
import { headerRefs } from './headers.ts'
import { JSON_MEDIA_TYPE, type Json, ref } from './json.ts'
import { operationId, pascal } from './names.ts'

/** The codes whose responses have a `Retry-After`. */
const WITH_RETRY_AFTER: readonly ErrorCode[] = [
  'rate_limited',
  'service_unavailable',
  'upstream_unavailable',
  'idempotency_in_progress',
]

const headersOf = (status: string, codes: readonly ErrorCode[]): string[] => [
  ...(status === '401' ? ['WWW-Authenticate'] : []),
  ...(codes.some((code) => WITH_RETRY_AFTER.includes(code)) ? ['Retry-After'] : []),
]

const explained = (code: ErrorCode): string => `- \`${code}\`: ${ERRORS[code].message}`

const responseObject = (name: string, status: string, codes: readonly ErrorCode[]): Json => ({
  description: `${STATUS_CODES[status]}\n\n${codes.map(explained).join('\n')}`,
  'x-error-codes': codes,
  headers: headerRefs(...headersOf(status, codes)),
  content: {
    [JSON_MEDIA_TYPE]: {
      schema: ref('schemas', `${name}Response`),
      examples: Object.fromEntries(codes.map((code) => [code, ref('examples', code)])),
    },
  },
})

/** An `ErrorResponse` whose `error.code` is one of the codes. */
const responseSchema = (codes: readonly ErrorCode[]): Json => {
  const code = { type: 'string', enum: codes }
  const error = { allOf: [ref('schemas', 'ErrorObject'), { properties: { code }, required: ['code'] }] }
  return { allOf: [ref('schemas', 'ErrorResponse'), { properties: { error }, required: ['error'] }] }
}

interface ErrorCase {
  operation: Operation
  status: string
  codes: readonly ErrorCode[]
}

function casesOf(operation: Operation): ErrorCase[] {
  const byStatus = Map.groupBy(codesOf(operation), (code) => String(ERRORS[code].status))
  return [...byStatus].map(([status, codes]) => ({ operation, status, codes }))
}

const isAlike = (one: ErrorCase, other: ErrorCase): boolean =>
  one.status === other.status && String(one.codes) === String(other.codes)

/**
 * A single code gives its name: `RateLimited`. The codes that most operations have for a status share the status's
 * name: `Forbidden`. All others are named by their operation: `GetAgentNotFound`.
 */
function nameOf(error: ErrorCase, all: readonly ErrorCase[]): string {
  const { operation, status, codes } = error
  if (codes.length === 1) return pascal(String(codes[0]))
  const ofStatus = all.filter((other) => other.status === status)
  const isUsual = ofStatus.filter((other) => isAlike(other, error)).length > ofStatus.length / 2
  const name = pascal(STATUS_CODES[status] ?? status)
  return isUsual ? name : pascal(operationId(operation)) + name
}

export interface ErrorResponses {
  /** References to the error responses of an operation, by status. */
  of(operation: Operation): Record<string, Json>
  responses: Record<string, Json>
  schemas: Record<string, Json>
}

export function createErrorResponses(operations: readonly Operation[]): ErrorResponses {
  const all = operations.flatMap(casesOf)
  const named = all.map((error) => ({ ...error, name: nameOf(error, all) }))
  const byName = named.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    of: (operation) =>
      Object.fromEntries(
        named
          .filter((error) => error.operation === operation)
          .map(({ status, name }) => [status, ref('responses', name)]),
      ),
    responses: Object.fromEntries(
      byName.map(({ name, status, codes }) => [name, responseObject(name, status, codes)]),
    ),
    schemas: Object.fromEntries(byName.map(({ name, codes }) => [`${name}Response`, responseSchema(codes)])),
  }
}

/** Example details, by code; `docs_url` is in all of them. */
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

/** An example response for each code. */
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
