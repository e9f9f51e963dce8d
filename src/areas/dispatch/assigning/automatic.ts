/** The work of the service itself on decisions: it applies automatic ones, and finds out about writes that were lost. */
import { tenancyOf } from '../../../db/db.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { found } from '../../../errors/errors.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import type { JobContext } from '../../../jobs/job.ts'
import { type ServiceContext, serviceContext } from '../../../jobs/service-context.ts'
import { change } from '../../../schema/changes/change.ts'
import { psaIdOf } from '../../technicians/index.ts'
import type { Assignment, DecisionRow } from '../decision.ts'
import { ASSIGN } from '../declared.ts'
import { dispatchEvent } from '../events.ts'
import { DECISION } from '../queries.ts'
import { DISPATCH_SETTINGS } from '../settings/dispatch-settings.ts'
import { carryOut, orLeave } from './carry-out.ts'
import { assignmentOf, DELETED, type Ending, isOpen } from './endings.ts'
import { type Leased, leaveToJob, leaveUnmade, takeLease } from './lease.ts'
import { settle } from './settle.ts'

const TRANSACTION_MS = 10_000

type WorkContext = MutationContext & { services: Services }

const lock = (ctx: MutationContext, id: string) => DECISION.lockIfThere(ctx, id as never)

// Contract silent: nothing is applied by itself once dispatch is turned off, or to SUGGEST.
/** The write that the service makes by itself; null: it makes none. */
async function intendedOf(
  ctx: WorkContext,
  { id, is_automatic, status, suggested_technician_id: technician_id }: DecisionRow,
): Promise<Assignment | Ending | null> {
  if (!is_automatic || status !== 'SUGGESTED' || technician_id === null) return null
  const { enabled, mode } = await DISPATCH_SETTINGS.read(ctx)
  if (!enabled || mode !== 'AUTO') return null
  const psa_id = await psaIdOf(ctx, technician_id)
  return psa_id === null ? DELETED : assignmentOf(id, { technician_id, psa_id })
}

/** The automatic decision as a suggestion for people. */
const suggest = (ctx: MutationContext, decision: DecisionRow): Promise<DecisionRow> =>
  change(ctx, DECISION, decision, {
    verb: 'suggested',
    from: ['SUGGESTED'],
    decide: () => ({ is_automatic: false, assigning_until: null }),
    otherEvents: () => [dispatchEvent('suggested', decision)],
  })

/** Settles the leased decision, or leaves it to people. */
async function work(ctx: ServiceContext, leased: Leased): Promise<void> {
  const { id } = leased.decision
  const intended = await intendedOf(ctx, leased.decision)
  const outcome = await carryOut(ctx, leased, intended)
  ctx.now = ctx.services.now()
  if (!outcome && !leased.decision.is_automatic) return await leaveUnmade(ctx, leased)
  await inTransaction(ctx, TRANSACTION_MS, async () => {
    const decision = await lock(ctx, id)
    if (!decision || !isOpen(decision)) return
    await (outcome ? settle(ctx, decision, outcome) : suggest(ctx, decision))
  })
}

/**
 * Applies an automatic decision, and settles any decision of which an earlier write was made. What a person began and was
 * not made is left to people. Returns the decision, if it is there.
 */
export async function finish(
  { services, viewer, request }: WorkContext,
  decision_id: string,
): Promise<DecisionRow | undefined> {
  const ctx = serviceContext(services, ASSIGN.name, request.id, viewer && tenancyOf({ viewer }))
  const leased = await takeLease(ctx, () => lock(ctx, decision_id))
  if (leased)
    await orLeave(
      () => leaveToJob(ctx, leased),
      () => work(ctx, leased),
    )
  return (await DECISION.find(ctx, decision_id as never)) ?? undefined
}

/** Applies an automatic decision at once, and returns it. Rejects with `upstream_unavailable` while the PSA is away. */
export const assignAutomatic = async (ctx: WorkContext, decision_id: string): Promise<DecisionRow> =>
  found(await finish(ctx, decision_id), 'dispatch_decision_not_found', decision_id)

/** Makes an automatic decision that could not be applied a suggestion for people. */
export async function leaveToPeople(
  ctx: JobContext,
  { decision_id }: { decision_id: string },
): Promise<void> {
  const decision = await lock(ctx, decision_id)
  const is_leased = decision?.assigning_until && decision.assigning_until > ctx.services.now()
  if (decision?.is_automatic && decision.status === 'SUGGESTED' && !is_leased) await suggest(ctx, decision)
}
