/** The successes of the operations. */
import type { Operation } from '../../gateway/operation.ts'
import { successSchema } from './envelopes.ts'
import { canBeCurrent, hasEtag, headerRefs } from './headers.ts'
import { JSON_MEDIA_TYPE, type Json } from './json.ts'
import type { Schemas } from './schemas.ts'

const content = (media: Json): Json => ({ [JSON_MEDIA_TYPE]: media })

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
