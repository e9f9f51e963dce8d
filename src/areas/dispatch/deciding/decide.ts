/** Deciding: counted, chosen and recorded under one lock of the tenant, after the PSA was asked. */
import type { PsaTicket } from '../../../connectors/psa.ts'
import { type DatabaseContext, db, tenancyOf } from '../../../db/db.ts'
import { insert, insertOf } from '../../../db/query/insert.ts'
import { lockTenant } from '../../../db/transaction.ts'
import { record } from '../../../gateway/activity.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import { ASSIGN } from '../declared.ts'
import { dispatchEvent } from '../events.ts'
import type { SettingsRow } from '../settings/dispatch-settings.ts'
import { chooseFor, type Gathered } from './facts.ts'
import { takeTurn } from './turns.ts'

/** The context in which decisions are recorded: a transaction. */
type RecordingContext = MutationContext & { services: Pick<Services, 'jobs' | 'environment'> }

/** The work that hands a ticket over. Both are null for a ticket that arrived. */
export interface HandedOver {
  agent_id: number | null
  execution_id: string | null
}

/** Milliseconds in which a suggestion can be applied. */
const OPEN_MS = 24 * 60 * 60 * 1000

/** The reason for which a ticket gets no decision; null: it gets one. */
export function blockOf({
  assignee_psa_id,
  closed_at,
}: Pick<PsaTicket, 'assignee_psa_id' | 'closed_at'>): 'TICKET_ASSIGNED' | 'TICKET_CLOSED' | null {
  // Contract silent: dispatch takes no ticket away from a technician, and opens none again.
  if (closed_at !== null) return 'TICKET_CLOSED'
  return assignee_psa_id === null ? null : 'TICKET_ASSIGNED'
}

/** Waits for the other decisions of the tenant. */
export const lockDecisions = (ctx: DatabaseContext): Promise<void> =>
  lockTenant(ctx, `${tenancyOf(ctx).environment} dispatch`)

/** The open suggestion for the ticket; null: there is none. */
export async function openFor(ctx: DatabaseContext, ticket_id: string): Promise<string | null> {
  const where = { ticket_id, status: 'SUGGESTED' as const }
  const open = await db(ctx).dispatchDecision.findFirst({ where, select: { id: true } })
  return open?.id ?? null
}

const STORE = insertOf('dispatch.store_decision', 'DispatchDecision', {
  columns: [
    'id',
    'ticket_id',
    'ticket_number',
    'status',
    'rule_id',
    'strategy',
    'is_automatic',
    'candidates',
    'suggested_technician_id',
    'chosen_technician_id',
    'explanation',
    'agent_id',
    'execution_id',
    'psa_company_id',
    'created_at',
    'expires_at',
    'updated_at',
  ],
})

/** Chooses and records the decision, which has this id. The lock is held, and the ticket has no open suggestion. */
export async function decide(
  ctx: RecordingContext,
  id: string,
  gathered: Gathered,
  settings: SettingsRow,
  handed_over: HandedOver,
): Promise<void> {
  const { ticket, rule } = gathered
  const { candidates, chosen_technician_id, explanation } = await chooseFor(ctx, gathered, settings)
  const status = chosen_technician_id === null ? ('NONE_FITS' as const) : ('SUGGESTED' as const)
  const is_automatic = chosen_technician_id !== null && settings.mode === 'AUTO'
  const { now } = ctx
  const told = {
    id,
    ticket_id: ticket.ticket_id,
    ticket_number: ticket.number,
    status,
    chosen_technician_id,
    ...handed_over,
  }
  await insert(ctx, STORE, {
    ...told,
    rule_id: rule?.id ?? null,
    strategy: settings.strategy,
    is_automatic,
    candidates,
    suggested_technician_id: chosen_technician_id,
    explanation,
    psa_company_id: ticket.psa_company_id,
    created_at: now,
    expires_at: new Date(now.getTime() + OPEN_MS),
    updated_at: now,
  })
  if (chosen_technician_id !== null) await takeTurn(ctx, chosen_technician_id)
  if (is_automatic) await enqueue(ctx, ASSIGN, { decision_id: id })
  const verb = status === 'SUGGESTED' ? 'suggested' : 'none_fits'
  await record(ctx, {
    action: `dispatch_decision.${verb}`,
    targets: [{ type: 'dispatch_decision', id, name: ticket.number }],
    after: { ...told, rule_id: rule?.id ?? null, is_automatic },
    // The event of an automatic decision follows once the technician has the ticket.
    events: is_automatic ? [] : [dispatchEvent(verb, told)],
  })
}
