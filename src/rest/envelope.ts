/** The contract's envelopes: `{ data, meta }` and `{ error, meta }`. */
import { type GraphQLOutputType, getNamedType, isObjectType } from 'graphql'
import type { ApiError } from '../errors/errors.ts'
import { chargeRefusal } from '../gateway/address-limits.ts'
import type { Call } from '../gateway/call.ts'
import type { Services } from '../gateway/context.ts'
import { errorBody, toApiError } from '../gateway/errors.ts'
import { commonHeaders, timingsOf } from '../gateway/response-headers.ts'
import { type HttpAnswer, JSON_TYPE } from '../http/send.ts'

/** The parts of an operation's value: `data`, and the pagination in `meta`. */
export interface EnvelopeParts {
  data: unknown
  pagination?: unknown
}

/** Splits the value of an operation into the parts of its envelope. */
export type ToParts = (value: unknown) => EnvelopeParts

const HAS_ITEMS = (value: unknown): EnvelopeParts => {
  const { items, pagination } = value as { items: unknown; pagination: unknown }
  return { data: items, pagination }
}

const HAS_PAGINATION = (value: unknown): EnvelopeParts => {
  const { pagination, ...data } = value as { pagination: unknown }
  return { data, pagination }
}

/** The split for values of a type: a page's `items` are `data`, and its `pagination` goes to `meta`. */
export function toPartsOf(type: GraphQLOutputType): ToParts {
  const named = getNamedType(type)
  const fields = isObjectType(named) ? named.getFields() : {}
  if (!('pagination' in fields)) return (data) => ({ data })
  return 'items' in fields ? HAS_ITEMS : HAS_PAGINATION
}

interface Meta {
  request_id: string
  timings_ms: Record<string, number>
  warnings: readonly string[]
}

/** The value of a success. */
export function envelope(
  { data, pagination }: EnvelopeParts,
  { request_id, timings_ms, warnings }: Meta,
): object {
  const meta = {
    request_id,
    timings_ms,
    ...(pagination !== undefined && { pagination }),
    ...(warnings.length > 0 && { warnings }),
  }
  return { data, meta }
}

/** The parts of an answer that depend on its form. */
export type Represented = Pick<HttpAnswer, 'headers' | 'body'>

/**
 * The answer to a call that failed with `thrown`, in JSON unless `represent` gives it another form. It is charged to the
 * address, unless the call is charged already.
 */
export async function errorAnswer(
  services: Services,
  call: Call,
  thrown: unknown,
  represent?: (error: ApiError) => Promise<Represented>,
): Promise<HttpAnswer> {
  const error = await chargeRefusal(services, call, toApiError(thrown, services.log, call))
  call.problem = error
  const represented = await represent?.(error)
  const body = JSON.stringify({ error: errorBody(error, services.public_url), meta: { request_id: call.id } })
  const common = { ...commonHeaders(call, timingsOf(call)), 'Content-Type': JSON_TYPE, ...error.headers }
  const headers = { ...common, ...represented?.headers }
  return { status: error.status, headers, body: represented?.body ?? body }
}
