/** REST: one request in, one envelope out. Every operation of the schema, and nothing else, is reachable. */
import type { GraphQLSchema } from 'graphql'
import { chargeAddress } from '../gateway/address-limits.ts'
import { admit, type Gateway } from '../gateway/admit.ts'
import { answerJson } from '../gateway/answer-json.ts'
import type { Call } from '../gateway/call.ts'
import type { Context } from '../gateway/context.ts'
import { REPLAYED } from '../gateway/idempotency.ts'
import type { Operation } from '../gateway/operation.ts'
import type { RepresentedCall } from '../gateway/representation.ts'
import { commonHeaders, SCHEMA_CACHE, timingsOf } from '../gateway/response-headers.ts'
import type { Exchange } from '../http/connections.ts'
import { type HttpAnswer, JSON_TYPE, send } from '../http/send.ts'
import { BASE_PATH } from '../lib/api.ts'
import { contentTag } from '../lib/entity-tags.ts'
import { type Bind, BODY, binder } from './bind.ts'
import { readBody } from './body.ts'
import { envelope } from './envelope.ts'
import { type Outcome, type Run, runner } from './execute.ts'
import { pricing } from './points.ts'
import { failureAs, isPreferred, successAs } from './represented.ts'
import { createRoutes, type Routes } from './routes.ts'
import type { SofaRoutes } from './sofa-routes.ts'

interface RestOptions {
  gateway: Gateway
  /** The REST view: the schema without graph-only fields. */
  view: GraphQLSchema
  operations: readonly Operation[]
  sofa: SofaRoutes
}

/** A route, with the values that are the same for each of its requests. */
interface Route {
  operation: Operation
  operations: readonly [Operation]
  bind: Bind
  run: Run
  takes_body: boolean
  pointsOf: (query: URLSearchParams) => number
}

export interface Rest {
  handle(exchange: Exchange<Call>): Promise<void>
  allowed: Routes<Route>['allowed']
}

/** The answer to a call that has succeeded. */
function answerOf(
  { cacheable, name, envelope: wraps, also_as }: Operation,
  call: Call,
  ctx: Context,
  sent: RepresentedCall['body'],
  { parts, replayed }: Outcome,
): HttpAnswer {
  const { etags, location, warnings } = ctx
  const timings = timingsOf(call)
  const headers = commonHeaders(call, timings)
  headers['Content-Type'] = JSON_TYPE
  if (replayed) Object.assign(headers, REPLAYED)
  if (cacheable) headers['Cache-Control'] = SCHEMA_CACHE
  const etag = cacheable ? contentTag(JSON.stringify(parts.data)) : etags.get(name)
  if (etag) headers.ETag = etag
  if (location) headers.Location = BASE_PATH + location
  if (also_as) {
    const success = { data: parts.data, body: sent, etag }
    const { headers: own, body } = successAs(also_as, ctx.services, call, success)
    Object.assign(headers, own)
    if (body !== undefined) return { status: 200, headers, body }
  }
  if (wraps === false) return { status: 200, headers, body: answerJson(ctx, parts.data) }
  const meta = { request_id: call.id, timings_ms: timings, warnings }
  return { status: 200, headers, body: answerJson(ctx, envelope(parts, meta)) }
}

/** The REST interface of the schema: it executes the routes that SOFA has. */
export function createRest({ gateway, view, operations, sofa }: RestOptions): Rest {
  const { request_timeout_ms } = gateway
  const byName = new Map(operations.map((operation) => [operation.name, operation]))
  const byRoute = new Map<SofaRoutes['routes'][number], Route>()
  for (const route of sofa.routes) {
    const operation = byName.get(route.name)
    if (!operation) throw new Error(`${route.name} is no operation`)
    const ms = operation.kind === 'query' ? request_timeout_ms : request_timeout_ms * 2
    byRoute.set(route, {
      operation,
      operations: [operation],
      bind: binder(operation),
      run: runner(view, operation, sofa.documentOf, ms),
      takes_body: operation.field.args.some(({ name }) => name === BODY),
      pointsOf: pricing(operation),
    })
  }
  const routes = createRoutes(byRoute)

  /** Keeps the body that it has read in `sent`, for an answer that shows it again. */
  async function answer(
    { request, call }: Exchange<Call>,
    { target, params }: ReturnType<typeof routes.match>,
    sent: { body: RepresentedCall['body'] },
  ): Promise<HttpAnswer> {
    const { operation, operations, bind, run, takes_body, pointsOf } = target
    call.operation = operation.name
    if (operation.max_body_bytes) request.max_body_bytes = operation.max_body_bytes
    const { query } = request
    const ctx = await admit(gateway, call, {
      operations,
      writes: operation.kind === 'mutation' ? 1 : 0,
      points: pointsOf(query),
      free: operation.free === true,
    })
    const given = takes_body ? await readBody(request, operation) : null
    sent.body = given
    const { values, warnings, body } = await bind(params, query, given)
    ctx.warnings.push(...warnings)
    ctx.sent_body = body
    return answerOf(operation, call, ctx, given, await run(ctx, values))
  }

  /** Leads a browser that asks for the page of a POST to the page of its form; null: there is none. */
  async function leadToPage({ request, call }: Exchange<Call>): Promise<HttpAnswer | null> {
    const { method, path, query } = request
    if (!['GET', 'HEAD'].includes(method) || !routes.allowed(path).includes('POST')) return null
    const { also_as } = routes.match('POST', path).target.operation
    if (!also_as?.pageFor || !isPreferred(also_as, call)) return null
    await chargeAddress(gateway.services, call)
    const headers = { ...commonHeaders(call, timingsOf(call)), ...also_as.headers }
    return {
      status: 303,
      headers: { ...headers, Location: also_as.pageFor(query), Vary: 'Accept' },
      body: '',
    }
  }

  async function handle(exchange: Exchange<Call>): Promise<void> {
    const { request, res, call } = exchange
    let found: ReturnType<typeof routes.match>
    try {
      found = routes.match(request.method, request.path)
    } catch (refused) {
      const elsewhere = await leadToPage(exchange)
      if (!elsewhere) throw refused
      return send(res, elsewhere)
    }
    const sent: { body: RepresentedCall['body'] } = { body: null }
    try {
      send(res, await answer(exchange, found, sent))
    } catch (thrown) {
      const failure = { thrown, body: sent.body }
      const refused = await failureAs(found.target.operation, gateway.services, call, failure)
      if (!refused) throw thrown
      send(res, refused)
    }
  }

  return { handle, allowed: routes.allowed }
}
