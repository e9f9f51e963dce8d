/** Opening escalations for events of the feed: the cursor of a tenant moves with them, so that none is left out. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import type { ServiceContext } from '../../jobs/service-context.ts'
import { feedFollower, type NextEvents } from '../events/index.ts'
import { workOf } from '../executions/index.ts'
import { openBy, policiesWith } from './open.ts'
import type { PolicyRow } from './policies/policy.ts'
import { policyFor, subjectOf, type Trigger } from './rules.ts'

/** The causes among the types of events. */
const CAUSES: Readonly<Record<string, Trigger>> = {
  'execution.failed': 'EXECUTION_FAILED',
  'til_request.expired': 'TIL_REQUEST_EXPIRED',
}

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

/** The escalations of a tenant begin with its first policy. */
export const { begin, followTenant, followEvents } = feedFollower({
  name: 'escalation.follow',
  table: 'escalation_cursor',
  work: openFor,
})
