/** The error responses of operations. Those with the same codes are one component. */
import { STATUS_CODES } from 'node:http'
import { DOCS_URL, detailsSchema } from '../../errors/details-schema.ts'
import { ERRORS, type ErrorCode } from '../../errors/errors.ts'
import type { Operation } from '../../gateway/operation.ts'
import type { Representation } from '../../gateway/representation.ts'
import { docsUrl } from '../../lib/api.ts'
import { ANY_CALL, codesOf } from '../../schema/error-codes.ts'
import { ERROR_META } from './envelopes.ts'
import { headerRefs } from './headers.ts'
import { JSON_MEDIA_TYPE, type Json, ref } from './json.ts'
import { pascal } from './names.ts'
import { alsoAs, errorFormOf } from './representation.ts'
import { orAdded } from './schemas.ts'

/** The codes whose responses have a `Retry-After`. */
const WITH_RETRY_AFTER: readonly ErrorCode[] = [
  'rate_limited',
  'service_unavailable',
  'upstream_unavailable',
  'idempotency_in_progress',
]

/** The codes of refusals that have an effect: they are answered again to the same `Idempotency-Key`. */
const REPLAYABLE: readonly ErrorCode[] = ['dispatch_decision_closed']

const headersOf = (status: string, codes: readonly ErrorCode[]): string[] => [
  ...(status === '401' ? ['WWW-Authenticate'] : []),
  ...(codes.some((code) => WITH_RETRY_AFTER.includes(code)) ? ['Retry-After'] : []),
  ...(codes.some((code) => REPLAYABLE.includes(code)) ? ['Idempotency-Replayed'] : []),
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

/** The response to whatever has no response of its own: statuses and codes may be added. */
const OTHER_ERROR: Json = {
  description: 'Any other error.',
  headers: headerRefs(),
  content: {
    [JSON_MEDIA_TYPE]: {
      schema: ref('schemas', 'ErrorResponse'),
      examples: { internal_error: ref('examples', 'internal_error') },
    },
  },
}

/** A schema in the document, in which parts with titles are components. */
function inDocument(schema: Json): Json {
  const { title, items, ...others } = schema
  if (typeof title === 'string') return ref('schemas', title)
  return items ? { ...others, items: inDocument(items as Json) } : schema
}

/** The members of the code's own. */
function membersOf(code: ErrorCode): Record<string, Json> {
  const { docs_url: _shared, ...own } = detailsSchema(code).properties
  return own
}

/** A member as the codes declare it: one schema, or several that differ in more than their descriptions. */
function memberSchema(name: string, codes: readonly ErrorCode[]): Json {
  const having = codes.filter((code) => name in membersOf(code))
  const variants = new Map<string, Json>()
  const descriptions = new Map<string, ErrorCode[]>()
  for (const code of having) {
    const { description, examples: _examples, ...schema } = membersOf(code)[name] ?? {}
    variants.set(JSON.stringify(schema), inDocument(schema))
    descriptions.set(String(description), [...(descriptions.get(String(description)) ?? []), code])
  }
  const [enums, texts] = [true, false].map((isEnum) =>
    [...variants.values()].filter((schema) => 'enum' in schema === isEnum),
  ) as [Json[], Json[]]
  const [only = {}, ...others] = enums.length > 0 ? enums.map(orAdded) : texts
  const words = [...descriptions].map(([text, own]) =>
    own.length === codes.length ? text : `With ${own.map((code) => `\`${code}\``).join(', ')}: ${text}`,
  )
  return { ...(others.length > 0 ? { anyOf: [only, ...others] } : only), description: words.join(' ') }
}

/** The details with the members of all of the codes. A code that is added may have none of them. */
function detailsOf(codes: readonly ErrorCode[]): Json {
  const names = new Set(codes.flatMap((code) => Object.keys(membersOf(code))))
  return {
    type: 'object',
    description: 'More of the reason.',
    properties: {
      ...Object.fromEntries([...names].map((name) => [name, memberSchema(name, codes)])),
      docs_url: DOCS_URL,
    },
    required: ['docs_url'],
  }
}

/** The members that the details of each code always have: validators read it, and generators pass over it. */
function alwaysThere([code, ...others]: readonly ErrorCode[]): Json {
  if (code === undefined) return {}
  const required = detailsSchema(code).required.filter((name) => name !== 'docs_url')
  if (required.length === 0) return alwaysThere(others)
  const more = alwaysThere(others)
  return {
    if: { properties: { code: { const: code } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { details: { required } } },
    ...('if' in more && { else: more }),
  }
}

/** The body of an error response with one of the codes. */
const responseSchema = (codes: readonly ErrorCode[]): Json => ({
  type: 'object',
  properties: {
    error: {
      type: 'object',
      description: 'The reason.',
      properties: {
        code: { description: 'The stable reason.', ...orAdded({ type: 'string', enum: codes }) },
        message: { type: 'string', description: 'The reason in words.' },
        details: detailsOf(codes),
      },
      required: ['code', 'message', 'details'],
      ...alwaysThere(codes),
    },
    meta: ERROR_META,
  },
  required: ['error', 'meta'],
})

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
 * `InvalidCursorOrInvalidWindow`. Usual codes give their name only if there is one and no other, and the
 * name of the status if there are several: `Forbidden`.
 */
function shortName({ status, codes }: Shape): string {
  const own = codes.filter((code) => !USUAL.includes(code))
  if (own.length > 0) return joined(own.slice(-MOST_NAMED))
  return codes.length === 1 ? joined(codes) : pascal(STATUS_CODES[status] ?? status)
}

/** The names of the shapes, by their keys. If two have the same short name, all codes of each are in theirs. */
function namesOf(shapes: readonly Shape[]): Map<string, string> {
  const alike = Map.groupBy(shapes, shortName)
  return new Map(
    shapes.map((shape) => {
      const name = shortName(shape)
      return [keyOf(shape), alike.get(name)?.length === 1 ? name : joined(shape.codes)]
    }),
  )
}

/** The name of a response, which is another one if errors have a form beside JSON. */
const nameAs = (name: string, form: Representation | undefined): string => (form ? `${name}OrPage` : name)

/** The response, which the operations with this form of errors answer in it too. */
function responseAs(response: Json, form: Representation): Json {
  const { headers, content } = response as Record<'headers' | 'content', Json>
  return {
    ...response,
    headers: { ...headers, Vary: ref('headers', 'Vary') },
    content: { ...content, ...alsoAs(form) },
  }
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
  const responses: Record<string, Json> = {
    ...Object.fromEntries(
      byName.map(({ name, status, codes }) => [name, responseObject(name, status, codes)]),
    ),
    Error: OTHER_ERROR,
  }
  const inOtherForm = operations.flatMap((operation) => {
    const form = errorFormOf(operation)
    if (!form) return []
    return [...shapesOf(operation).map(nameOf), 'Error'].map((name) => [
      nameAs(name, form),
      responseAs(responses[name] ?? {}, form),
    ])
  })
  return {
    of(operation) {
      const response = (name: string) => ref('responses', nameAs(name, errorFormOf(operation)))
      const shapes = shapesOf(operation).map((shape) => [shape.status, response(nameOf(shape))])
      return { ...Object.fromEntries(shapes), default: response('Error') }
    },
    responses: { ...responses, ...Object.fromEntries(inOtherForm) },
    schemas: Object.fromEntries(byName.map(({ name, codes }) => [`${name}Response`, responseSchema(codes)])),
  }
}

/** An example of the schema, of the examples of its parts; undefined if one of them has none. */
function exampleOf({ examples, items, properties }: Json): unknown {
  if (Array.isArray(examples)) return examples[0]
  if (items) {
    const item = exampleOf(items as Json)
    return item === undefined ? undefined : [item]
  }
  if (!properties) return undefined
  const parts = Object.entries(properties).map(([name, part]) => [name, exampleOf(part)] as const)
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined))
}

/** An example response for each code. */
export const errorExamples = (codes: readonly ErrorCode[]): Record<string, Json> =>
  Object.fromEntries(
    codes.map((code) => {
      const { message, fix } = ERRORS[code]
      const own = exampleOf(detailsSchema(code)) as Json
      const error = { code, message, details: { ...own, docs_url: docsUrl(code) } }
      const value = { error, meta: { request_id: '3f2b8a54-6d1e-4c9b-9a70-5e8c1d2f4b6a' } }
      return [code, { summary: code, description: fix, value }]
    }),
  )
