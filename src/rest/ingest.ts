/** Takes the events that other systems send. Answers have no body but for refusals, which have the error envelope. */
import { capacity } from '../access/limits/rules.ts'
import { ApiError, methodNotAllowed } from '../errors/errors.ts'
import type { Call } from '../gateway/call.ts'
import type { Services } from '../gateway/context.ts'
import { withDeadline } from '../gateway/deadline.ts'
import { toApiError } from '../gateway/errors.ts'
import { chargeConnection, furtherCost, type Ingest } from '../gateway/ingest.ts'
import { commonHeaders, timingsOf } from '../gateway/response-headers.ts'
import type { Endpoint } from '../http/dispatch.ts'
import type { HttpRequest } from '../http/request.ts'
import { send } from '../http/send.ts'
import { INGEST_PATH } from '../lib/api.ts'
import { errorAnswer } from './envelope.ts'

const METHODS = ['POST', 'OPTIONS']

/** Some systems wait for five seconds. */
const TIMEOUT_MS = 4000

const RETRY_SECONDS = '2'

/**
 * The refusal of events that could not be stored. Some systems send again after 429 and never after 5xx, and none is known
 * that does the opposite.
 */
const sendAgain = (failure: ApiError): ApiError =>
  new ApiError('events_not_stored', { headers: { 'Retry-After': RETRY_SECONDS, ...failure.headers } })

export function ingestEndpoint(services: Services, ingest: Ingest): Endpoint<Call> {
  const isPath = (path: string): boolean => ingest.path.test(path)

  /** Resolves once the events of the request are stored. */
  async function take(request: HttpRequest, call: Call): Promise<void> {
    const [, connection_id = ''] = ingest.path.exec(request.path) ?? []
    const secret = request.query.get('secret') ?? ''
    const connection = await ingest.find(services, connection_id, secret)
    // An unknown connection, a wrong secret and a wrong signature are answered alike.
    if (!connection) throw new ApiError('not_found')
    await chargeConnection(services, call, connection, 1)
    const delivery = await connection.read(request.headers, await request.body())
    if (!delivery) throw new ApiError('not_found')
    const further = furtherCost(delivery.events, capacity(services.limits.ingest_connection))
    if (further > 0) await chargeConnection(services, call, connection, further)
    await delivery.store()
  }

  return {
    name: 'ingest',
    has: (path) => path.startsWith(INGEST_PATH),
    allowed: (path) => (isPath(path) ? METHODS : []),
    async handle({ request, res, call }) {
      if (!isPath(request.path)) throw new ApiError('not_found')
      if (request.method !== 'POST') throw methodNotAllowed(METHODS)
      call.operation = ingest.name
      try {
        await withDeadline(TIMEOUT_MS, take(request, call))
        send(res, { status: 202, headers: commonHeaders(call, timingsOf(call)), body: '' })
      } catch (error) {
        // A failure of the service is logged with its own code.
        const refusal = toApiError(error, services.log, call)
        send(res, await errorAnswer(services, call, refusal.status >= 500 ? sendAgain(refusal) : refusal))
      }
    },
  }
}
