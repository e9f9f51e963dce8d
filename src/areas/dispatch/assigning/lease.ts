/**
 * The lease of a decision: of all processes one at a time works on it with the PSA, while it holds no connection. Neither the
 * lease nor the stored write changes the revision.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { scoped, sql } from '../../../db/db.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { unavailable } from '../../../errors/errors.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { Assignment, DecisionRow } from '../decision.ts'
import { ASSIGN } from '../declared.ts'
import { isOpen } from './endings.ts'

/** Longer than the PSA may take for two reads and a write. */
const LEASE_MS = 60_000
const PATIENCE_MS = 20_000
/** Seconds after which a write that was given up can no longer reach the PSA. */
export const LATE_SECONDS = 60
const LATE_MS = LATE_SECONDS * 1000
const PAUSE_MS = 100
const TRANSACTION_MS = 10_000

export type LeasingContext = MutationContext & { services: Services }

/** A decision that this process has the lease of. */
export interface Leased {
  decision: DecisionRow
  until: Date
}

const TAKE = scoped(
  'dispatch.take_lease',
  `update dispatch_decision d set assigning_until = $4::timestamptz
   where d.tenant_id = $1 and d.environment = $2 and d.id = $3::text`,
)

/** True if a write that was given up may still reach the PSA. */
export const mayBeLate = ({ began_at }: Assignment, now: Date): boolean =>
  began_at !== undefined && now.getTime() - Date.parse(began_at) < LATE_MS

type Held = Leased | { is_held: true }

/**
 * Takes the lease of the decision that `locking` locks, once another process has left it. `null`: the decision is closed, or
 * `locking` finds none.
 */
export async function takeLease(
  ctx: LeasingContext,
  locking: () => Promise<DecisionRow | null | undefined>,
): Promise<Leased | null> {
  const { services } = ctx
  const take = async (): Promise<Held | null> => {
    const decision = await locking()
    if (!decision || !isOpen(decision)) return null
    const now = services.now()
    if (decision.assigning_until && decision.assigning_until > now) return { is_held: true }
    const until = new Date(now.getTime() + LEASE_MS)
    await sql(ctx, TAKE, [decision.id, until])
    return { decision, until }
  }
  for (const started = performance.now(); ; await sleep(PAUSE_MS)) {
    const held = await inTransaction(ctx, TRANSACTION_MS, take)
    if (!held || !('is_held' in held)) return held
    if (performance.now() - started > PATIENCE_MS) throw unavailable(1)
  }
}

const STORE = scoped(
  'dispatch.store_assignment',
  `update dispatch_decision d set assignment = $5::jsonb
   where d.tenant_id = $1 and d.environment = $2 and d.id = $3::text and d.assigning_until = $4::timestamptz returning d.id`,
)

/** Stores the write that begins now. 503 if another process has the lease since. */
export async function storeAssignment(
  ctx: LeasingContext,
  { decision, until }: Leased,
  assignment: Assignment,
): Promise<void> {
  const began: Assignment = { ...assignment, began_at: ctx.services.now().toISOString() }
  const stored = await sql(ctx, STORE, [decision.id, until, JSON.stringify(began)])
  if (stored.length === 0) throw unavailable(1)
}

const LEAVE = scoped(
  'dispatch.leave_lease',
  `update dispatch_decision d set assigning_until = null, assignment = case when $5::boolean then d.assignment end
   where d.tenant_id = $1 and d.environment = $2 and d.id = $3::text and d.assigning_until = $4::timestamptz
   returning d.id`,
)

/** Leaves a decision after a failure. A job finds out what became of it once no write can be late any more. */
export async function leaveUnsettled(ctx: LeasingContext, leased: Leased): Promise<void> {
  const { decision, until } = leased
  await inTransaction(ctx, TRANSACTION_MS, async () => {
    const [left] = await sql<{ id: string }>(ctx, LEAVE, [decision.id, until, true])
    const start_after = new Date(ctx.services.now().getTime() + LATE_MS)
    if (left) await enqueue(ctx, ASSIGN, { decision_id: decision.id }, { start_after })
  })
}

/** Leaves a decision to its own job, which tries again. */
export async function leaveToJob(ctx: LeasingContext, { decision, until }: Leased): Promise<void> {
  await sql(ctx, LEAVE, [decision.id, until, true])
}

/** Leaves a decision whose earlier write was not made. */
export async function leaveUnmade(ctx: LeasingContext, { decision, until }: Leased): Promise<void> {
  await sql(ctx, LEAVE, [decision.id, until, false])
}
