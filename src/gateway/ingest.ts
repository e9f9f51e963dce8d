/** Events that other systems send to the service, each to the address of its connection. */
import { type RateLimitStatus, rateLimited } from '../access/limits/state.ts'
import type { Call, CallRequest } from './call.ts'
import type { Services } from './context.ts'

/** A connection whose address a request has, with the right secret. */
export interface IngestConnection {
  connection_id: string
  /** Stores the events in the body as it came; false: the system of the connection did not send it. */
  receive(headers: CallRequest['headers'], raw: Buffer): Promise<boolean>
}

export interface Ingest {
  /** Its name in logs and metrics. */
  name: string
  /** Captures the id of the connection in a path. */
  path: RegExp
  /** null: there is no such connection, or the secret is another one. */
  find(services: Services, connection_id: string, secret: string): Promise<IngestConnection | null>
}

/** Charges a request to its connection; 429 if that has used up its limit. The address is charged nothing. */
export async function chargeConnection(
  services: Services,
  call: Call,
  { connection_id }: IngestConnection,
): Promise<void> {
  const { limiter, limits, now } = services
  call.charged = true
  const limit = limits.ingest_connection
  const decision = await limiter.take(limit, connection_id)
  const status: RateLimitStatus = { limit, scope: 'CONNECTION', decision }
  call.rates.add(status)
  if (!decision.allowed) throw rateLimited(status, now())
}
