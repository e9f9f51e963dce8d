/** Tickets that nobody touched for so long: the PSA is asked for those alone that are known to be quiet. */
import { type PsaTicket, psaOf } from '../../connectors/psa.ts'
import { scoped, sql } from '../../db/db.ts'
import { statement } from '../../db/sql.ts'
import { inTransaction, lockTenant } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import type { JobContext, UnboundJobContext } from '../../jobs/job.ts'
import { serviceContext } from '../../jobs/service-context.ts'
import { runStop } from '../billing/index.ts'
import { hasQuiet, type QuietTicket, quietTickets, settleQuiet } from '../callbacks/index.ts'
import { FIND_STALLED } from './declared.ts'
import { openBy, policiesWith, presentFor } from './open.ts'
import type { PolicyRow } from './policies/policy.ts'
import { policyFor } from './rules.ts'
import { isStalledBy, limitsOf } from './stalls.ts'

const POLICIES = statement(
  'escalation.stalled_policies',
  `select p.tenant_id, p.is_default, p.agent_ids, p.stalled_minutes, p.stalled_statuses from escalation_policy p
   where p.environment = $1 and ($2::text is null or p.tenant_id = $2) and p.enabled
     and p.triggers @> '{TICKET_STALLED}'`,
)

// A job that another process enqueues meanwhile is seen, since both hold the lock.
const IS_QUEUED = scoped(
  'escalation.stalled_queued',
  `select 1 as queued from (
     select j.data -> 'tenancy' ->> 'tenant_id' as tenant_id, j.data -> 'tenancy' ->> 'environment' as environment
     from pgboss.job j where j.name = '${FIND_STALLED.name}' and j.state < 'completed'
   ) j where j.tenant_id = $1 and j.environment = $2 limit 1`,
)

type StalledPolicy = Pick<
  PolicyRow,
  'tenant_id' | 'is_default' | 'agent_ids' | 'stalled_minutes' | 'stalled_statuses'
>

const QUEUE_MS = 10_000

interface Options {
  /** Only this tenant. */
  tenant_id?: string | null
}

/** Enqueues a job for each tenant with quiet tickets that has none. */
export async function queueStalled(
  { services, now, request, log }: Pick<JobContext, 'services' | 'now' | 'request' | 'log'>,
  { tenant_id: only = null }: Options = {},
): Promise<void> {
  const { database, environment } = services
  const policies = await database.sql.rows<StalledPolicy>(POLICIES, [environment, only])
  const of_tenants = Map.groupBy(policies, ({ tenant_id }) => tenant_id)
  // A failure for one tenant keeps no job from the others.
  for (const [tenant_id, some] of of_tenants)
    await queueTenant(services, request.id, tenant_id, some, now).catch((error: unknown) =>
      log.warn({ err: error, tenant_id }, 'stalled tickets will not be looked for'),
    )
}

/** Enqueues a job for the tenant if it has quiet tickets and no job. */
async function queueTenant(
  services: Services,
  request_id: string,
  tenant_id: string,
  policies: readonly StalledPolicy[],
  now: Date,
): Promise<void> {
  const ctx = serviceContext(services, 'escalation.stalled', request_id, {
    tenant_id,
    environment: services.environment,
  })
  const limits = policies.flatMap((policy) => limitsOf(policy, now))
  if (!(await hasQuiet(ctx, limits))) return
  await inTransaction(ctx, QUEUE_MS, async () => {
    await lockTenant(ctx, `escalation.stalled ${services.environment}`)
    const [queued] = await sql(ctx, IS_QUEUED)
    if (!queued) await enqueue(ctx, FIND_STALLED, {})
  })
}

/** Stores what the PSA told of the ticket, and opens its escalation if it is stalled. */
async function settle(
  ctx: UnboundJobContext,
  policies: readonly PolicyRow[],
  known: QuietTicket,
  ticket: PsaTicket | null,
): Promise<void> {
  const { ticket_id: entity_id, agent_id } = known
  if (!ticket || ticket.closed_at) {
    await settleQuiet(ctx, known, { open_status: null, quiet_since: null })
    return
  }
  const { status: open_status, updated_at, number: entity_number } = ticket
  const trigger = 'TICKET_STALLED'
  const policy = policyFor(
    policies.filter((one) => isStalledBy(one, ticket, ctx.now)),
    { trigger, agent_id },
  )
  const subject = `TICKET/${entity_id}`
  // While its escalation is not RESOLVED the ticket is looked at again after as long a time.
  const is_told = policy !== null && (await presentFor(ctx, { subject, trigger })) !== null
  const quiet_since = is_told ? ctx.now : policy ? null : updated_at
  const settled = await settleQuiet(ctx, known, { open_status, quiet_since })
  if (!settled || !policy || is_told) return
  // Contract silent: a stalled ticket belongs to the agent that worked on it last.
  const cause = {
    trigger,
    agent_id,
    execution_id: null,
    entity_id,
    entity_number,
    subject,
    reason: null,
  } as const
  await openBy(ctx, policy, cause)
}

/** Tickets of a tenant that one job asks for. */
const MOST = 50
const READ_AT_ONCE = 5
const SETTLE_MS = 10_000

const BEHIND_MS = 5 * 60_000

/** Leaves a ticket that the PSA did not answer for alone for five minutes, since it would keep others back. */
async function putBehind(
  ctx: UnboundJobContext,
  known: QuietTicket,
  limits: readonly { before: Date }[],
  reason: unknown,
): Promise<void> {
  const { ticket_id, open_status } = known
  ctx.log.warn({ err: reason, ticket_id }, 'a quiet ticket was not read')
  const latest = Math.max(...limits.map(({ before }) => before.getTime()))
  await settleQuiet(ctx, known, { open_status, quiet_since: new Date(latest + BEHIND_MS) })
}

/** Asks the PSA for the tenant's quiet tickets, the longest quiet first, and opens escalations for the stalled ones. */
export async function findStalled(ctx: UnboundJobContext): Promise<void> {
  const stop = await runStop(ctx)
  // Contract silent: nothing is asked of the PSA of a tenant that is suspended, or whose subscription is not active.
  if (stop === 'tenant_suspended' || stop === 'subscription_inactive') return
  const policies = await policiesWith(ctx, 'TICKET_STALLED')
  const limits = policies.flatMap((policy) => limitsOf(policy, ctx.now))
  const quiet = await quietTickets(ctx, limits, MOST)
  const psa = psaOf({ ...ctx, fresh: true })
  for (let index = 0; index < quiet.length && !ctx.signal.aborted; index += READ_AT_ONCE) {
    const some = quiet.slice(index, index + READ_AT_ONCE)
    const answers = await Promise.allSettled(some.map(({ ticket_id }) => psa.ticket(ticket_id)))
    ctx.now = ctx.services.now()
    for (const [place, known] of some.entries()) {
      const answer = answers[place]
      if (answer?.status === 'fulfilled')
        await inTransaction(ctx, SETTLE_MS, () => settle(ctx, policies, known, answer.value))
      else await putBehind(ctx, known, limits, answer?.reason)
    }
    if (answers.every(({ status }) => status === 'rejected')) return
  }
}
