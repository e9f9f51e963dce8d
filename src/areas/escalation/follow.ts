/** Opening escalations for events of the feed: the cursor of a tenant moves with them, so that none is left out. */
import { hash } from 'node:crypto'
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import type { ServiceContext } from '../../jobs/service-context.ts'
import { feedFollower, type NextEvents } from '../events/index.ts'
import { workOf } from '../executions/index.ts'
import { type Cause, openBy, policiesWith } from './open.ts'
import type { PolicyRow } from './policies/policy.ts'
import { policyFor, subjectOf, subjectOfTicket, type Trigger } from './rules.ts'

/** The causes among the types of events. Of feedback it is a NEGATIVE rating. */
const CAUSES: Readonly<Record<string, Trigger>> = {
  'execution.failed': 'EXECUTION_FAILED',
  'til_request.expired': 'TIL_REQUEST_EXPIRED',
  'feedback.submitted': 'NEGATIVE_FEEDBACK',
}

const EVENTS = scoped(
  'escalation.causes',
  `select e.type, e.entity_id, e.agent_id, e.data ->> 'execution_id' as execution_id,
     e.data ->> 'ticket_id' as ticket_id, e.data ->> 'ticket_number' as ticket_number
   from live_event e
   where e.tenant_id = $1 and e.environment = $2 and e.sequence > $3::bigint and e.sequence <= $4::bigint
     and e.type = any($5::text[])
     and (e.type <> 'feedback.submitted' or e.data ->> 'rating' = 'NEGATIVE')
   order by e.sequence`,
)

interface CauseEvent {
  type: string
  entity_id: string
  agent_id: number | null
  execution_id: string | null
  /** The ticket of feedback. null: it has none, or the event is of another kind. */
  ticket_id: string | null
  ticket_number: string | null
}

type About = Pick<Cause, 'execution_id' | 'entity_id' | 'entity_number' | 'subject'>

/** The work that the event is about; null: it is about none that is kept. */
async function aboutOf(
  ctx: DatabaseContext,
  { type, execution_id, ticket_id, ticket_number }: CauseEvent,
): Promise<About | null> {
  if (type === 'feedback.submitted' && ticket_id !== null) {
    const subject = subjectOfTicket(ticket_id)
    return { execution_id, entity_id: ticket_id, entity_number: ticket_number, subject }
  }
  // A call of the API that nobody approved in time belongs to no agent: its caller is told by the request.
  const work = execution_id === null ? null : await workOf(ctx, execution_id)
  if (!work) return null
  const { entity_id, entity_number } = work
  return { execution_id, entity_id, entity_number, subject: subjectOf(work) }
}

/** The id of the escalation for feedback, which has one, however often it is submitted. */
const idOf = ({ type, entity_id }: CauseEvent): string | undefined =>
  type === 'feedback.submitted' ? `esc_${hash('sha256', `feedback/${entity_id}`).slice(0, 22)}` : undefined

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
  for (const event of events) {
    const { agent_id } = event
    const trigger = CAUSES[event.type]
    const policy = trigger && policyFor(policies.get(trigger) ?? [], { trigger, agent_id })
    const about = policy && (await aboutOf(ctx, event))
    if (!about) continue
    // Words of end users are read in the feedback alone.
    await openBy(ctx, policy, { trigger, agent_id, ...about, reason: null }, idOf(event))
  }
}

/** The escalations of a tenant begin with its first policy. */
export const { begin, followTenant, followEvents } = feedFollower({
  name: 'escalation.follow',
  table: 'escalation_cursor',
  work: openFor,
})
