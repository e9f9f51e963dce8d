/** REST: one request in, one envelope out. Every operation of the schema, and nothing else, is reachable. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GraphQLSchema } from 'graphql'
import type { CredentialKind } from '../access/credential.ts'
import type { ApiError } from '../errors.ts'
import { chargeCall, settle } from '../gateway/address-limits.ts'
import { contextOf, identify } from '../gateway/admit.ts'
import type { Call } from '../gateway/call.ts'
import type { Services } from '../gateway/context.ts'
import { withDeadline } from '../gateway/deadline.ts'
import { contentTag } from '../gateway/entity-tags.ts'
import { problemOf } from '../gateway/errors.ts'
import { REPLAYED } from '../gateway/idempotency.ts'
import type { Operation } from '../gateway/operation.ts'
import { refusalOf } from '../gateway/rate-limits.ts'
import { commonHeaders, SCHEMA_CACHE, timingsOf } from '../gateway/response-headers.ts'
import { JSON_TYPE, send } from '../http/send.ts'
import { BASE_PATH } from '../lib/api.ts'
import { type Bind, BODY, binder } from './bind.ts'
import { readBody } from './body.ts'
import { errorBody, successBody } from './envelope.ts'
import { type Run, runner } from './execute.ts'
import { derivedDocuments } from './operation-documents.ts'
import { createRoutes, type Routes } from './routes.ts'

interface RestOptions {
  services: Services
  credentials: readonly CredentialKind[]
  /** The schema without what only the graph has. */
  view: GraphQLSchema
  operations: readonly Operation[]
  /** Milliseconds that a read may take; a write has twice as long. */
  request_timeout_ms: number
}

interface Target {
  operation: Operation
  bind: Bind
  run: Run
  takesBody: boolean
  usual_rows: number
}

export interface Rest {
  handle(req: IncomingMessage, res: ServerResponse, call: Call): Promise<void>
  allowed: Routes<Target>['allowed']
}

const ROWS_PER_POINT = 50
const MAX_ROWS = 200

/** The rows that an operation gives where the call does not say; 0 for one that is no list. */
const usualRows = ({ field }: Operation): number =>
  Number(field.args.find(({ name }) => name === 'page_size')?.defaultValue ?? 0)

/** What a call costs in points: one, and one more for every fifty rows it may give. */
function pointsOf(query: URLSearchParams, usual_rows: number): number {
  if (usual_rows === 0) return 1
  const asked = Number(query.get('page_size')) || usual_rows
  return 1 + Math.floor(Math.min(Math.max(asked, 0), MAX_ROWS) / ROWS_PER_POINT)
}

/** The REST interface of the schema. */
export async function createRest(options: RestOptions): Promise<Rest> {
  const { services, credentials, view, operations, request_timeout_ms } = options
  const documentOf = await derivedDocuments(view, operations)
  const targets = new Map<Operation['rest'], Target>()
  for (const operation of operations) {
    const ms = operation.kind === 'query' ? request_timeout_ms : request_timeout_ms * 2
    const run = runner(view, operation, documentOf, ms)
    const takesBody = operation.field.args.some(({ name }) => name === BODY)
    targets.set(operation.rest, {
      operation,
      bind: binder(operation),
      run,
      takesBody,
      usual_rows: usualRows(operation),
    })
  }
  const routes = createRoutes(targets)

  async function answer(req: IncomingMessage, res: ServerResponse, call: Call): Promise<void> {
    const [path = '', search = ''] = splitUrl(req.url ?? '/')
    const { target, params } = routes.match(req.method ?? 'GET', path)
    const { operation, bind, run, takesBody, usual_rows } = target
    call.operation = operation.name
    await withDeadline(request_timeout_ms, identify(services, credentials, call, req))
    const query = new URLSearchParams(search)
    if (operation.free && !call.viewer) call.settled = true
    const demand = { writes: operation.kind === 'mutation' ? 1 : 0, points: pointsOf(query, usual_rows) }
    await chargeCall(services, call, demand, request_timeout_ms)
    const refused = refusalOf([operation], call.viewer)
    if (refused) throw refused
    const body = takesBody ? await readBody(req) : null
    const ctx = contextOf(services, call, req)
    const { values, warnings } = bind(params, query, body)
    ctx.warnings.push(...warnings)
    const { parts, replayed } = await run(ctx, values)
    const timings = timingsOf(call)
    const headers = commonHeaders(call, timings)
    headers['Content-Type'] = JSON_TYPE
    if (replayed) Object.assign(headers, REPLAYED)
    if (operation.cacheable) headers['Cache-Control'] = SCHEMA_CACHE
    const etag = operation.cacheable ? contentTag(JSON.stringify(parts.data)) : ctx.etags.get(operation.name)
    if (etag) headers.ETag = etag
    if (ctx.location) headers.Location = BASE_PATH + ctx.location
    const meta = { request_id: call.id, timings_ms: timings, warnings: ctx.warnings }
    send(req, res, { status: 200, headers, body: successBody(parts, meta) })
  }

  return {
    allowed: routes.allowed,
    async handle(req, res, call) {
      try {
        await answer(req, res, call)
      } catch (thrown) {
        refuse(req, res, call, await settle(services, call, problemOf(thrown, services.log, call)))
      }
    },
  }
}

/** Answers with the error envelope. */
export function refuse(req: IncomingMessage, res: ServerResponse, call: Call, error: ApiError): void {
  call.problem = error
  const headers = { ...commonHeaders(call, timingsOf(call)), 'Content-Type': JSON_TYPE, ...error.headers }
  send(req, res, { status: error.status, headers, body: errorBody(error, call.id) })
}

/** The path and the query of a request target, which nothing has decoded yet. */
function splitUrl(url: string): [string, string] {
  const mark = url.indexOf('?')
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
}
