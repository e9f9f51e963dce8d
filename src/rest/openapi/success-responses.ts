/** The success responses of operations. */
import type { Operation } from '../../gateway/operation.ts'
import { successSchema } from './envelopes.ts'
import { canBeCurrent, hasEtag, headerRefs } from './headers.ts'
import { JSON_MEDIA_TYPE, type Json, ref } from './json.ts'
import { alsoAs } from './representation.ts'
import type { Schemas } from './schemas.ts'

const content = (media: Json, { also_as }: Operation): Json => ({
  [JSON_MEDIA_TYPE]: media,
  ...(also_as && alsoAs(also_as)),
})

/** A POST to a collection whose items have a path of their own creates an item and answers with its `Location`. */
const hasLocation = ({ rest, kind }: Operation, operations: readonly Operation[]): boolean =>
  kind === 'mutation' &&
  rest.method === 'POST' &&
  operations.some(
    (other) =>
      other.rest.method === 'GET' &&
      other.rest.path.startsWith(`${rest.path}/{`) &&
      other.rest.path.split('/').length === rest.path.split('/').length + 1,
  )

/** The responses that operations share. */
export const SHARED_RESPONSES: Record<string, Json> = {
  NotModified: {
    description: 'The version in `If-None-Match` is current.',
    headers: headerRefs('ETag'),
  },
}

/** The success responses of an operation, by status: 200, and 304 if `If-None-Match` is taken. */
export function successResponses(
  operation: Operation,
  operations: readonly Operation[],
  schemas: Schemas,
): Record<string, Json> {
  const etag = hasEtag(operation) ? ['ETag'] : []
  const headers = headerRefs(
    ...etag,
    ...(hasLocation(operation, operations) ? ['Location'] : []),
    ...(operation.kind === 'mutation' ? ['Idempotency-Replayed'] : []),
    ...(operation.also_as ? ['Vary'] : []),
  )
  const success = {
    description: 'Success.',
    headers,
    content: content({ schema: successSchema(operation, schemas) }, operation),
  }
  if (!canBeCurrent(operation)) return { 200: success }
  return {
    200: success,
    304: ref('responses', 'NotModified'),
  }
}
