/** The error responses of operations. Those with the same codes are one component. */
import { STATUS_CODES } from 'node:http'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { Operation } from '../../gateway/operation.ts'
import { ANY_CALL, codesOf } from '../../schema/error-codes.ts'
import { headerRefs } from './headers.ts'
import { JSON_MEDIA_TYPE, type Json, ref } from './json.ts'
import { pascal } from './names.ts'

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

/** The codes that operations can answer with under one status. */
interface Shape {
  status: string
  codes: readonly ErrorCode[]
}

const shapesOf = (operation: Operation): Shape[] =>
  [...Map.groupBy(codesOf(operation), (code) => String(ERRORS[code].status))].map(([status, codes]) => ({
    status,
    codes,
  }))

const keyOf = ({ codes }: Shape): string => codes.join(' ')

/** The codes that say little about an operation. */
const USUAL: readonly ErrorCode[] = [...ANY_CALL, 'not_found', 'idempotency_in_progress']

const MOST_NAMED = 3

const joined = (codes: readonly ErrorCode[]): string => codes.map(pascal).join('Or')

/**
 * The name of its most particular codes, which are the last ones in the table of errors: `VersionConflict`,
 * `InvalidCursorOrInvalidWindow`. Usual codes give their name only where there is one and no other, and the
 * name of the status where there are several: `Forbidden`.
 */
function shortName({ status, codes }: Shape): string {
  const own = codes.filter((code) => !USUAL.includes(code))
  if (own.length > 0) return joined(own.slice(-MOST_NAMED))
  return codes.length === 1 ? joined(codes) : pascal(STATUS_CODES[status] ?? status)
}

/** The names of the shapes, by their keys. Where two have the same short name, all codes of each are in theirs. */
function namesOf(shapes: readonly Shape[]): Map<string, string> {
  const alike = Map.groupBy(shapes, shortName)
  return new Map(
    shapes.map((shape) => {
      const name = shortName(shape)
      return [keyOf(shape), alike.get(name)?.length === 1 ? name : joined(shape.codes)]
    }),
  )
}

export interface ErrorResponses {
  /** References to the error responses of an operation, by status. */
  of(operation: Operation): Record<string, Json>
  responses: Record<string, Json>
  schemas: Record<string, Json>
}

/** One response for each shape, whichever operations have it. */
export function createErrorResponses(operations: readonly Operation[]): ErrorResponses {
  const shapes = [...new Map(operations.flatMap(shapesOf).map((shape) => [keyOf(shape), shape])).values()]
  const names = namesOf(shapes)
  const nameOf = (shape: Shape): string => names.get(keyOf(shape)) ?? ''
  const byName = shapes
    .map((shape) => ({ ...shape, name: nameOf(shape) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    of: (operation) =>
      Object.fromEntries(shapesOf(operation).map((shape) => [shape.status, ref('responses', nameOf(shape))])),
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
