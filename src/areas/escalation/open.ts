/** Opening escalations: one at a time for a trigger and a ticket, execution or conversation. */
import { type DatabaseContext, db, scoped, sql } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import { record } from '../../gateway/activity.ts'
import type { MutationContext, Services } from '../../gateway/context.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { newId } from '../../lib/ids.ts'
import { SETTINGS } from '../settings/index.ts'
import { CHANGE_TICKET, TAKE_STEP } from './declared.ts'
import { escalationEvent } from './events.ts'
import type { PolicyRow } from './policies/policy.ts'
import { policyFor, stepAt, type Trigger, ticketOf } from './rules.ts'

/** The context in which escalations are opened: a transaction. */
export type OpeningContext = MutationContext & { services: Pick<Services, 'jobs' | 'environment'> }

/** The cause of an escalation. */
export interface Cause {
  trigger: Trigger
  agent_id: number | null
  execution_id: string | null
  entity_id: string | null
  entity_number: string | null
  /** The ticket, execution or conversation that has one escalation at a time for the trigger. */
  subject: string
  /** The agent’s words about it. null: no agent raised it. */
  reason: string | null
}

/** The enabled policies with the trigger, by their ids. */
export async function policiesWith(ctx: DatabaseContext, trigger: Trigger): Promise<PolicyRow[]> {
  const where = { enabled: true, triggers: { has: trigger } }
  const rows = await db(ctx).escalationPolicy.findMany({ where, orderBy: { id: 'asc' } })
  return rows as unknown as PolicyRow[]
}

const OPEN = insertOf('escalation.open', 'EscalationEvent', {
  columns: [
    'id',
    'policy_id',
    'policy_name',
    'trigger',
    'reason',
    'steps',
    'respect_business_hours',
    'next_step_at',
    'agent_id',
    'execution_id',
    'entity_id',
    'entity_number',
    'subject',
    'ticket_change',
    'created_at',
    'updated_at',
  ],
  on_conflict: 'do nothing',
  returning: ['id'],
})

const PRESENT = scoped(
  'escalation.present',
  `select v.id from escalation_event v
   where v.tenant_id = $1 and v.environment = $2 and (v.id = $5::text
     or v.subject = $3::text and v.trigger = $4::text::escalation_trigger and v.status <> 'RESOLVED')
   order by (v.id = $5::text) desc nulls last limit 1`,
)

/** The escalation of the subject for the trigger that is not RESOLVED, or the one with the id; null: there is none. */
export async function presentFor(
  ctx: DatabaseContext,
  { subject, trigger }: Pick<Cause, 'subject' | 'trigger'>,
  id: string | null = null,
): Promise<string | null> {
  const [present] = await sql<{ id: string }>(ctx, PRESENT, [subject, trigger, id])
  return present?.id ?? null
}

const UNTOUCHED = { status: 'OPEN', current_step: 0, acknowledged_by_name: null, comment: null } as const

/**
 * Opens the escalation by the policy, with the job of its first step and that of its ticket. If the subject has one for the
 * trigger already, the id is that one's.
 */
export async function openBy(
  ctx: OpeningContext,
  policy: PolicyRow,
  cause: Cause,
  id = newId('esc'),
): Promise<string> {
  const { id: policy_id, name: policy_name, steps, ticket_change, respect_business_hours } = policy
  const hours = respect_business_hours ? await SETTINGS.read(ctx) : null
  const [first] = steps
  const next_step_at = first ? stepAt(first, ctx.now, hours) : null
  const { now } = ctx
  const columns = { policy_id, policy_name, steps, ticket_change, respect_business_hours, next_step_at }
  const row = { id, ...cause, ...columns, created_at: now, updated_at: now }
  const opened = await insert(ctx, OPEN, row)
  // An escalation that was resolved meanwhile leaves its place to this one.
  if (!opened) return (await presentFor(ctx, cause, id)) ?? (await openBy(ctx, policy, cause, id))
  if (next_step_at) await enqueue(ctx, TAKE_STEP, { event_id: id, step: 1 }, { start_after: next_step_at })
  if (ticket_change && ticketOf(cause.subject) !== null) await enqueue(ctx, CHANGE_TICKET, { event_id: id })
  await record(ctx, {
    action: 'escalation_event.opened',
    targets: [{ type: 'escalation_event', id, name: cause.entity_number ?? policy_name }],
    after: { ...cause, policy_id },
    events: [escalationEvent('opened', { ...UNTOUCHED, ...row })],
  })
  return id
}

/** Opens an escalation by the policy that acts; null: none does. */
export async function openEscalation(ctx: OpeningContext, cause: Cause, id?: string): Promise<string | null> {
  const policy = policyFor(await policiesWith(ctx, cause.trigger), cause)
  return policy && (await openBy(ctx, policy, cause, id))
}
