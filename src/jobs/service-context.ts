/** The context of work that the service itself does, in a job or beside them. */
import type { Actor } from '../access/viewer.ts'
import type { Pace } from '../connectors/port.ts'
import type { Tenancy } from '../db/tenancy/context.ts'
import type { MutationContext, Services } from '../gateway/context.ts'
import { Stopwatch } from '../lib/stopwatch.ts'

export interface ServiceContext extends MutationContext {
  services: Services
  /** The service itself, in a tenant and environment; null if the work is no tenant's. */
  viewer: Actor | null
  pace?: Pace
}

/** The context of the work `name`, whose activities carry `request_id`. */
export const serviceContext = (
  services: Services,
  name: string,
  request_id: string,
  tenancy: Tenancy | null,
): ServiceContext => ({
  services,
  viewer: tenancy && { kind: { type: 'SYSTEM' }, id: name, name: 'Automation Service', ...tenancy },
  request: { id: request_id, ip: null, user_agent: null, if_match: null },
  now: services.now(),
  db_time: new Stopwatch(),
  transaction: null,
  secret_of: null,
  outcome: null,
  // No person waits for the answer: what is asked of a vendor waits for its turn.
  pace: 'AGENT',
})
