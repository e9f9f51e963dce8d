/** Events that other systems send to the service, each to the address of its connection. */
import { type RateLimitStatus, rateLimited } from '../access/limits/state.ts'
import type { Call, CallRequest } from './call.ts'
import type { Services } from './context.ts'

/** A request whose sender was verified. */
interface Delivery {
  /** The number of its events. */
  events: number
  store(): Promise<void>
}

/** A connection whose address a request has, with the right secret. */
export interface IngestConnection {
  connection_id: string
  /** Reads the body as it came; null: the system of the connection did not send it. */
  read(headers: CallRequest['headers'], raw: Buffer): Promise<Delivery | null>
}

export interface Ingest {
  /** Its name in logs and metrics. */
  name: string
  /** Captures the id of the connection in a path. */
  path: RegExp
  /** null: there is no such connection, or the secret is another one. */
  find(services: Services, connection_id: string, secret: string): Promise<IngestConnection | null>
}

/** Takes tokens from the limit of the connection; 429 if it has fewer. The address is charged nothing. */
export async function chargeConnection(
  services: Services,
  call: Call,
  { connection_id }: IngestConnection,
  cost: number,
): Promise<void> {
  const { limiter, limits, now } = services
  call.charged = true
  const limit = limits.ingest_connection
  const decision = await limiter.take(limit, connection_id, cost)
  const status: RateLimitStatus = { limit, scope: 'CONNECTION', decision }
  call.rates.add(status)
  if (!decision.allowed) throw rateLimited(status, now())
}

/** The cost of a delivery beyond the token of its request: one for each further event. */
// Contract silent: a delivery of more events than the limit allows costs the whole limit, so that it is stored once the limit is
// full.
export const furtherCost = (events: number, limit: number): number => Math.max(0, Math.min(events, limit) - 1)
