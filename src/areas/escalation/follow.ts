/** Opening escalations for events of the feed: the cursor of a tenant moves with them, so that none is left out. */
import { type DatabaseContext, scoped, sql, type Tenancy } from '../../db/db.ts'
import { statement } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import type { LoopContext } from '../../jobs/loop.ts'
import { type ServiceContext, serviceContext } from '../../jobs/service-context.ts'
import { feedCursor, type NextEvents } from '../events/index.ts'
import { workOf } from '../executions/index.ts'
import { openBy, policiesWith } from './open.ts'
import type { PolicyRow } from './policies/policy.ts'
import { policyFor, subjectOf, type Trigger } from './rules.ts'

/** The causes among the types of events. */
const CAUSES: Readonly<Record<string, Trigger>> = {
  'execution.failed': 'EXECUTION_FAILED',
  'til_request.expired': 'TIL_REQUEST_EXPIRED',
}

/** The escalations of events up to it are open. It begins with the first policy. */
export const CURSOR = feedCursor('escalation_cursor')

const EVENTS = scoped(
  'escalation.causes',
  `select e.type, e.agent_id, e.data ->> 'execution_id' as execution_id from live_event e
   where e.tenant_id = $1 and e.environment = $2 and e.sequence > $3::bigint and e.sequence <= $4::bigint
     and e.type = any($5::text[])
   order by e.sequence`,
)

interface CauseEvent {
  type: string
  agent_id: number | null
  execution_id: string | null
}

/** The policies with each of the triggers. */
async function policiesBy(
  ctx: DatabaseContext,
  triggers: Iterable<Trigger>,
): Promise<ReadonlyMap<Trigger, readonly PolicyRow[]>> {
  const policies = new Map<Trigger, readonly PolicyRow[]>()
  for (const trigger of new Set(triggers)) policies.set(trigger, await policiesWith(ctx, trigger))
  return policies
}

/** Opens the escalations of the events, in a transaction. */
async function openFor(ctx: ServiceContext, { from, upto }: NextEvents): Promise<void> {
  const events = await sql<CauseEvent>(ctx, EVENTS, [from, upto, Object.keys(CAUSES)])
  const policies = await policiesBy(
    ctx,
    events.flatMap(({ type }) => CAUSES[type] ?? []),
  )
  for (const { type, agent_id, execution_id } of events) {
    const trigger = CAUSES[type]
    // A call of the API that nobody approved in time belongs to no agent: its caller is told by the request.
    if (!trigger || execution_id === null) continue
    const policy = policyFor(policies.get(trigger) ?? [], { trigger, agent_id })
    const work = policy && (await workOf(ctx, execution_id))
    if (!work) continue
    const { entity_id, entity_number } = work
    const subject = subjectOf(work)
    const about = { execution_id, entity_id, entity_number, subject }
    await openBy(ctx, policy, { trigger, agent_id, ...about, reason: null })
  }
}

const BEHIND = statement(
  'escalation.tenants_behind',
  `select c.tenant_id from escalation_cursor c where c.environment = $1 and ${CURSOR.isBehind('$1')}`,
)

const TRANSACTION_MS = 30_000

/** Opens the escalations of the tenant's new events. */
export async function followTenant(
  services: Services,
  tenancy: Tenancy,
  signal?: AbortSignal,
): Promise<void> {
  for (let goes_on = true; goes_on && !signal?.aborted; ) {
    const ctx = serviceContext(services, 'escalation.follow', 'escalation.follow', tenancy)
    goes_on = await inTransaction(ctx, TRANSACTION_MS, () =>
      CURSOR.advance(ctx, (events) => openFor(ctx, events)),
    )
  }
}

/** Opens the escalations of new events, of all tenants. */
export async function followEvents({ services, signal, log }: LoopContext): Promise<void> {
  const { database, environment } = services
  const tenants = await database.sql.rows<{ tenant_id: string }>(BEHIND, [environment])
  // A failure for one tenant keeps no escalation from the others.
  for (const { tenant_id } of tenants)
    await followTenant(services, { tenant_id, environment }, signal).catch((error) =>
      log.warn({ err: error, tenant_id }, 'escalations were not opened'),
    )
}
