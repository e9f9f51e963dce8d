/**
 * An operation as data: everything that the interfaces, the gateway and the documents know about it.
 *
 * operation: one root field of the schema; it is one GraphQL field and one REST route.
 * area: a functional area of the API, which groups operations in the documentation of both interfaces.
 */
import type { GraphQLField } from 'graphql'
import type { LimitDeclaration } from '../access/limits/catalogue.ts'
import type { RateLimitStatus } from '../access/limits/state.ts'
import type { Access } from '../access/policies/policies.ts'
import type { DatabaseContext } from '../db/db.ts'
import type { ErrorCode } from '../errors/errors.ts'
import type { Representation } from './representation.ts'

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
  /** The name in OpenAPI of the object without these fields, in place of its type's name and `Summary`. */
  omitted_name?: string
}

/** The terms under which calls through the API-request channel wait for a technician's approval. */
export interface ApprovalTerms {
  /** The permission group whose approvers decide. */
  group: string
  /** The tenant can turn the approval off, by the group. */
  can_be_turned_off: boolean
}

/** A member of the body that is a list of at most so many items. */
export interface NdjsonList {
  member: string
  max_items: number
}

/** The options that every operation is defined with. */
export interface OperationOptions {
  rest: RestRoute
  access: Access
  /** The codes it can answer with, beyond those that every operation has. */
  errors?: readonly ErrorCode[]
  /** Changes only with a release of the service, so callers may keep it for a while. */
  cacheable?: true
  /** A limit of the operation's own on each credential, which is charged with the caller's other limits. */
  rate?: LimitDeclaration
  /** The caller's status under the operation's own limit. The operation itself refuses calls over the limit. */
  limit?: (caller: DatabaseContext & { now: Date }) => Promise<RateLimitStatus>
  /** Callers without a credential are not charged over REST, so that it answers while limits cannot be counted. */
  free?: true
  /** REST answers a success with the value alone, outside the envelope: for machines that post events. */
  envelope?: false
  /** A mutation that records no activity, since the row that it stores is a record itself. */
  activity?: false
  /** Calls through the API-request channel do not run: they leave a request to technicians behind. */
  approval?: ApprovalTerms
  /** The seconds that a call with these arguments may wait, beyond the time that every call has. */
  waits?: (args: Readonly<Record<string, unknown>>) => number
  /** The largest body that REST reads, in bytes, if that is not a megabyte. */
  max_body_bytes?: number
  /** The list that REST also takes alone, as NDJSON: one item in a line. REST puts it into `sent_body` of the context alone. */
  ndjson?: NdjsonList
  /** REST also takes the members of the body as a form of a browser sends them: each is a text, and an empty one is none. */
  takes_form?: true
  /** The form in which REST answers callers whose `Accept` prefers its media type to JSON. */
  also_as?: Representation
}

/** A root field whose value changes are told about, over GraphQL alone. */
export interface SubscriptionOptions extends Pick<OperationOptions, 'access' | 'errors' | 'rate'> {}

export interface Subscription extends SubscriptionOptions {
  name: string
  kind: 'subscription'
  area: Area
  field: GraphQLField<unknown, unknown>
}

/** A root field of the graph. */
export type RootField = Operation | Subscription

export interface Operation extends OperationOptions {
  name: string
  kind: 'query' | 'mutation'
  area: Area
  field: GraphQLField<unknown, unknown>
  /** It answers with the entity tag of a resource. */
  has_etag: boolean
}
