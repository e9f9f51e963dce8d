/** The headers of requests and responses. */
import type { ErrorCode } from '../../errors/errors.ts'
import type { Operation } from '../../gateway/operation.ts'
import { ENTITY_TAGS } from '../../lib/entity-tags.ts'
import { type Json, ref } from './json.ts'

const text = (description: string, options: Json = {}, schema: Json = {}): Json => ({
  description,
  ...options,
  schema: { type: 'string', ...schema },
})

const REQUIRED = { required: true }

/** Response headers, by name. */
export const RESPONSE_HEADERS: Record<string, Json> = {
  'X-Request-Id': text('The id of this request: yours if it was a UUID.', REQUIRED, { format: 'uuid' }),
  'API-Version': text('The version of this API.', REQUIRED, { examples: ['1.0.0'] }),
  'Cache-Control': text('The caching of the answer.', REQUIRED, { examples: ['no-store'] }),
  'Server-Timing': text('`meta.timings_ms` as browsers read it.', REQUIRED, { examples: ['total;dur=12.5'] }),
  'X-Content-Type-Options': text('Always `nosniff`.', REQUIRED, { const: 'nosniff' }),
  'RateLimit-Policy': text(
    'The limits that this request counted against, each an item: `q` requests, writes or points in `w` seconds. ' +
      '`key-burst` is the limit of a key in one second.',
    REQUIRED,
    { examples: ['"key";q=600;w=60, "key-burst";q=60;w=1, "tenant";q=3000;w=60, "points";q=20000;w=60'] },
  ),
  RateLimit: text(
    'The rest of each limit: `r`, and `t` seconds until it is full again. The limit that a 429 is about has the ' +
      '`t` of `Retry-After`.',
    REQUIRED,
    { examples: ['"key";r=597;t=1, "key-burst";r=58;t=1, "tenant";r=2990;t=1, "points";r=19994;t=1'] },
  ),
  Sunset: text(
    'When the API key of this request stops working: it was rotated. `meta.warnings` says so too.',
    {},
    { examples: ['Sat, 21 Nov 2026 12:00:00 GMT'] },
  ),
  ETag: text(
    'The version of the resource, for `If-Match` and `If-None-Match`.',
    {},
    {
      examples: ['"3"'],
    },
  ),
  Vary: text('The request header on which the form of the answer depends.', {}, { const: 'Accept' }),
  Location: text('The path of what was created.', {}, { format: 'uri-reference' }),
  'Idempotency-Replayed': text(
    '`true` if the answer is the one that the first request with this `Idempotency-Key` got.',
    {},
    { const: 'true' },
  ),
  'Retry-After': {
    description: 'Seconds to wait before sending the request again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': text('The way to authenticate.', REQUIRED, { examples: ['Bearer'] }),
}

const COMMON = [
  'X-Request-Id',
  'API-Version',
  'Cache-Control',
  'Server-Timing',
  'X-Content-Type-Options',
  'RateLimit-Policy',
  'RateLimit',
  'Sunset',
] as const

/** References to the headers of every response, and to extra ones. */
export const headerRefs = (...extra: string[]): Json =>
  Object.fromEntries([...COMMON, ...extra].map((name) => [name, ref('headers', name)]))

interface Parameter extends Json {
  name: string
}

const parameter = (name: string, description: string, schema: Json = {}): Parameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...schema },
})

/** Request headers, by component name. */
export const REQUEST_HEADERS = {
  RequestId: parameter('X-Request-Id', 'A UUID of your own for this request, to find it again in logs.', {
    format: 'uuid',
  }),
  ActingUser: parameter(
    'X-Acting-User',
    'The id of the user in whose name a key with `allow_acting_user_header` calls.',
  ),
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'A key of your own for this change. For 24 hours the same request with the same key has one effect and ' +
      'one answer. A refusal had no effect: the same key may be tried again.',
    { minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  ),
  IfMatch: parameter(
    'If-Match',
    'The `ETag` of the version to change; another version is answered with 409 `version_conflict`.',
    { pattern: ENTITY_TAGS },
  ),
  IfNoneMatch: parameter(
    'If-None-Match',
    'The `ETag` of the version you have; if it is current the answer is 304 without a body.',
    { pattern: ENTITY_TAGS },
  ),
}

/** A response has an `ETag` if it is cacheable or is a writable resource. */
export const hasEtag = ({ cacheable, has_etag }: Operation): boolean => cacheable === true || has_etag

/** `If-None-Match` is taken, and may be answered with 304. */
export const canBeCurrent = (operation: Operation): boolean =>
  operation.rest.method === 'GET' && hasEtag(operation)

/** References to the request headers that the operation takes. */
export function requestHeaders(operation: Operation, codes: readonly ErrorCode[]): Json[] {
  const names: (keyof typeof REQUEST_HEADERS)[] = [
    ...(canBeCurrent(operation) ? (['IfNoneMatch'] as const) : []),
    ...(codes.includes('version_conflict') ? (['IfMatch'] as const) : []),
    ...(operation.kind === 'mutation' ? (['IdempotencyKey'] as const) : []),
    ...(['dashboard', 'signed'].includes(operation.access.kind) ? [] : (['ActingUser'] as const)),
    'RequestId',
  ]
  return names.map((name) => ref('parameters', name))
}
