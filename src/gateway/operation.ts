/**
 * An operation as data: everything that the interfaces, the gateway and the documents know about it.
 *
 * operation: one root field of the schema; it is one GraphQL field and one REST route.
 * area: a functional area of the API, which groups operations in the documentation of both interfaces.
 */
import type { GraphQLField } from 'graphql'
import type { RateLimitStatus } from '../access/limits/state.ts'
import type { Access } from '../access/policies.ts'
import type { DatabaseContext } from '../db/db.ts'
import type { ErrorCode } from '../errors.ts'

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

export interface Area {
  /** The contract's name for it. */
  name: string
  /** The name by which `discover` narrows to it. */
  slug: string
  description: string
  /** One operation to start from in GraphiQL, and others as comments below it. */
  example: string
}

/** The REST route of an operation. */
interface RestRoute {
  method: Method
  /** `{name}` in the path is the argument of that name. */
  path: string
  /** The `operationId` in OpenAPI, in place of `list_` or `get_` and the field's name. */
  operation_id?: string
  /** Fields that REST leaves out, although the type has them: of each item in a list, otherwise of the value. */
  omit?: readonly string[]
}

/** The options that every operation is defined with. */
export interface OperationOptions {
  rest: RestRoute
  access: Access
  /** The codes it can answer with, beyond those that every operation has. */
  errors?: readonly ErrorCode[]
  /** Changes only with a release of the service, so callers may keep it for a while. */
  cacheable?: true
  /** The caller's status under the operation's own limit. The operation itself refuses calls over the limit. */
  limit?: (caller: DatabaseContext & { now: Date }) => Promise<RateLimitStatus>
  /** Callers without a credential are not charged over REST, so that it answers while limits cannot be counted. */
  free?: true
  /** REST answers a success with the value alone, outside the envelope: for machines that post events. */
  envelope?: false
  /** A mutation that records no activity, since the row that it stores is a record itself. */
  activity?: false
  /** The largest body that REST reads, in bytes, where that is not a megabyte. */
  max_body_bytes?: number
}

export interface Operation extends OperationOptions {
  name: string
  kind: 'query' | 'mutation'
  area: Area
  field: GraphQLField<unknown, unknown>
  /** It answers with the entity tag of a resource. */
  has_etag: boolean
}
