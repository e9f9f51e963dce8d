/** Suggestions that come to nothing: their time is over, or their ticket was assigned or closed. */
import type { PsaTicket } from '../../../connectors/psa.ts'
import { scoped, sql, type Tenancy } from '../../../db/db.ts'
import { statement } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { enqueueAll } from '../../../jobs/enqueue.ts'
import type { LoopContext } from '../../../jobs/loop.ts'
import { serviceContext } from '../../../jobs/service-context.ts'
import { ASSIGN } from '../declared.ts'
import { DECISION } from '../queries.ts'
import { endingBy, OVERDUE } from './endings.ts'
import { settle } from './settle.ts'

const BATCH = 100
const TRANSACTION_MS = 10_000

const DUE = statement(
  'dispatch.tenants_with_overdue',
  `select distinct tenant_id, environment from dispatch_decision
   where status = 'SUGGESTED' and environment = $2 and expires_at <= $1::timestamptz
     and assigning_until is null
     and (assignment is null or expires_at <= $1::timestamptz - interval '1 hour')`,
)

// A decision whose write may have been made is settled by its job within the hour, which clears a write that was not made.
/** The suggestions whose time is over, and that nobody works on. */
const OVER = `d.id in (
  select o.id from dispatch_decision o
  where o.tenant_id = $1 and o.environment = $2 and o.status = 'SUGGESTED' and o.expires_at <= ?::timestamptz
    and o.assigning_until is null and (o.assignment is null or o.expires_at <= ?::timestamptz - interval '1 hour')
  order by o.expires_at limit ${BATCH} for update skip locked)`

/** Ends suggestions of a tenant whose time is over; their number. */
async function expire(services: Services, tenancy: Tenancy): Promise<number> {
  const ctx = serviceContext(services, 'dispatch.expire', 'dispatch.expire', tenancy)
  return await inTransaction(ctx, TRANSACTION_MS, async () => {
    const over = await DECISION.lockAll(ctx, { text: OVER, values: [ctx.now, ctx.now] })
    for (const decision of over) await settle(ctx, decision, { ending: OVERDUE })
    return over.length
  })
}

const LOST = statement(
  'dispatch.lost_leases',
  `select distinct tenant_id, environment from dispatch_decision
   where environment = $2 and assigning_until <= $1::timestamptz`,
)

const TAKE_UP = scoped(
  'dispatch.take_up_lost',
  `update dispatch_decision d set assigning_until = null
   where d.tenant_id = $1 and d.environment = $2 and d.assigning_until <= $3::timestamptz returning d.id`,
)

/** Queues the jobs of a tenant’s decisions whose process was lost. */
async function takeUp(services: Services, tenancy: Tenancy): Promise<void> {
  const ctx = serviceContext(services, 'dispatch.expire', 'dispatch.expire', tenancy)
  await inTransaction(ctx, TRANSACTION_MS, async () => {
    const lost = await sql<{ id: string }>(ctx, TAKE_UP, [ctx.now])
    await enqueueAll(
      ctx,
      ASSIGN,
      lost.map(({ id }) => ({ payload: { decision_id: id } })),
    )
  })
}

export async function expireDecisions({
  services,
  signal,
}: Pick<LoopContext, 'services' | 'signal'>): Promise<void> {
  const { database, environment, now } = services
  for (const tenancy of await database.sql.rows<Tenancy>(LOST, [now(), environment]))
    await takeUp(services, tenancy)
  for (const tenancy of await database.sql.rows<Tenancy>(DUE, [now(), environment]))
    for (let expired = BATCH; expired === BATCH && !signal.aborted; )
      expired = await expire(services, tenancy)
}

/** Ends the decisions of a ticket that is assigned or closed, but for one whose own write it may be. */
export async function expireAssigned(
  ctx: MutationContext,
  ticket: Pick<PsaTicket, 'ticket_id' | 'assignee_psa_id' | 'closed_at'>,
): Promise<void> {
  const ending = endingBy(ticket)
  if (!ending) return
  const open = {
    text: `d.ticket_id = ?::text and d.status in ('SUGGESTED', 'NONE_FITS')
      and (d.assigning_until is null or d.assigning_until <= ?::timestamptz)
      and (d.assignment is null or (d.assignment ->> 'psa_id')::int is distinct from ?::int)`,
    values: [ticket.ticket_id, ctx.now, ticket.assignee_psa_id],
  }
  for (const decision of await DECISION.lockAll(ctx, open)) await settle(ctx, decision, { ending })
}
