/** REST: one request in, one envelope out. Every operation of the schema, and nothing else, is reachable. */
import type { GraphQLSchema } from 'graphql'
import { admit, type Gateway } from '../gateway/admit.ts'
import { answerJson } from '../gateway/answer-json.ts'
import type { Call } from '../gateway/call.ts'
import type { Context } from '../gateway/context.ts'
import { REPLAYED } from '../gateway/idempotency.ts'
import type { Operation, Representation } from '../gateway/operation.ts'
import { commonHeaders, SCHEMA_CACHE, timingsOf } from '../gateway/response-headers.ts'
import type { Exchange } from '../http/connections.ts'
import { type HttpAnswer, JSON_TYPE, send } from '../http/send.ts'
import { prefersOverJson } from '../lib/accept.ts'
import { BASE_PATH } from '../lib/api.ts'
import { contentTag } from '../lib/entity-tags.ts'
import { type Bind, BODY, binder } from './bind.ts'
import { readBody } from './body.ts'
import { envelope } from './envelope.ts'
import { type Outcome, type Run, runner } from './execute.ts'
import { pricing } from './points.ts'
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

/** The tag of another form of the resource with the tag: `If-Match` reads the same revision in both. */
const tagAs = ({ media_type }: Representation, etag: string): string =>
  `${etag.slice(0, -1)}.${media_type.replace('/', '-')}"`

/** The answer to a call that has succeeded. */
function answerOf(
  { cacheable, name, envelope: wraps, also_as }: Operation,
  accept: string | undefined,
  call: Call,
  ctx: Context,
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
    headers.Vary = 'Accept'
    if (prefersOverJson(accept, also_as.media_type)) {
      headers['Content-Type'] = `${also_as.media_type}; charset=utf-8`
      if (etag) headers.ETag = tagAs(also_as, etag)
      return { status: 200, headers, body: also_as.of(parts.data) }
    }
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

  async function handle({ request, res, call }: Exchange<Call>): Promise<void> {
    const { target, params } = routes.match(request.method, request.path)
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
    const { values, warnings, body } = await bind(
      params,
      query,
      takes_body ? await readBody(request, operation) : null,
    )
    ctx.warnings.push(...warnings)
    ctx.sent_body = body
    send(res, answerOf(operation, request.headers.accept, call, ctx, await run(ctx, values)))
  }

  return { handle, allowed: routes.allowed }
}
