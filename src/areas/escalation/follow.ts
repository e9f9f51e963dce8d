/** Opening escalations for events of the feed: the cursor of a tenant moves with them, so that none is left out. */
import { type DatabaseContext, scoped, scopedInsert, sql, type Tenancy } from '../../db/db.ts'
import { statement } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import type { LoopContext } from '../../jobs/loop.ts'
import { type ServiceContext, serviceContext } from '../../jobs/service-context.ts'
import { workOf } from '../executions/index.ts'
import { openEscalation } from './open.ts'
import { subjectOf, type Trigger } from './rules.ts'

/** The causes among the types of events. */
const CAUSES: Readonly<Record<string, Trigger>> = {
  'execution.failed': 'EXECUTION_FAILED',
  'til_request.expired': 'TIL_REQUEST_EXPIRED',
}

const BEGIN = scopedInsert(
  'escalation.begin',
  `insert into escalation_cursor (tenant_id, environment, sequence)
   select $1, $2, coalesce((select f.last_sequence from event_feed f where f.tenant_id = $1 and f.environment = $2), 0)
   on conflict do nothing`,
)

/** Begins to follow the events of the tenant and environment, with its first policy: from now on. */
export async function beginFollowing(ctx: DatabaseContext): Promise<void> {
  await sql(ctx, BEGIN, [])
}

const CURSOR = scoped(
  'escalation.cursor',
  `select c.sequence as from,
     (select max(next.sequence) from (select e.sequence from live_event e
        where e.tenant_id = $1 and e.environment = $2 and e.sequence > c.sequence
        order by e.sequence limit 1000) next) as upto
   from escalation_cursor c where c.tenant_id = $1 and c.environment = $2 for update skip locked`,
)

const EVENTS = scoped(
  'escalation.causes',
  `select e.type, e.agent_id, e.data ->> 'execution_id' as execution_id from live_event e
   where e.tenant_id = $1 and e.environment = $2 and e.sequence > $3::bigint and e.sequence <= $4::bigint
     and e.type = any($5::text[])
   order by e.sequence`,
)

const MOVE = scoped(
  'escalation.move_cursor',
  `update escalation_cursor c set sequence = $3::bigint where c.tenant_id = $1 and c.environment = $2`,
)

interface CauseEvent {
  type: string
  agent_id: number | null
  execution_id: string | null
}

/** Opens the escalations of the next events, in a transaction. False: there are none, or another process does. */
async function followNext(ctx: ServiceContext): Promise<boolean> {
  const [cursor] = await sql<{ from: number; upto: number | null }>(ctx, CURSOR)
  if (!cursor || cursor.upto === null) return false
  const { from, upto } = cursor
  const events = await sql<CauseEvent>(ctx, EVENTS, [from, upto, Object.keys(CAUSES)])
  for (const { type, agent_id, execution_id } of events) {
    const trigger = CAUSES[type]
    // A call of the API that nobody approved in time belongs to no agent: its caller is told by the request.
    const work = trigger && execution_id !== null ? await workOf(ctx, execution_id) : null
    if (!work || !trigger) continue
    const { entity_id, entity_number } = work
    const subject = subjectOf(work)
    await openEscalation(ctx, {
      trigger,
      agent_id,
      execution_id,
      entity_id,
      entity_number,
      subject,
      reason: null,
    })
  }
  await sql(ctx, MOVE, [upto])
  return true
}

const BEHIND = statement(
  'escalation.tenants_behind',
  `select c.tenant_id from escalation_cursor c where c.environment = $1 and c.sequence <
     (select f.last_sequence from event_feed f where f.tenant_id = c.tenant_id and f.environment = $1)`,
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
    goes_on = await inTransaction(ctx, TRANSACTION_MS, () => followNext(ctx))
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
