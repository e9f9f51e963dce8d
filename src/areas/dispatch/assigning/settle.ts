/** Storing what became of a decision, in the transaction of a mutation or of the service. */
import type { MutationContext } from '../../../gateway/context.ts'
import { change } from '../../../schema/changes/change.ts'
import { lockDecisions } from '../deciding/decide.ts'
import { takeTurn } from '../deciding/turns.ts'
import type { Assignment, DecisionRow } from '../decision.ts'
import { keepFamiliarity } from '../familiarity.ts'
import { DECISION } from '../queries.ts'
import type { Outcome } from './carry-out.ts'
import { type Ending, OPEN } from './endings.ts'

/** Keeps what a ticket that was given to a technician means for later decisions. */
async function remember(
  ctx: MutationContext,
  { psa_company_id }: DecisionRow,
  { technician_id, psa_id, override }: Assignment,
): Promise<void> {
  if (psa_company_id !== null) await keepFamiliarity(ctx, { psa_company_id, psa_id })
  if (!override) return
  await lockDecisions(ctx)
  await takeTurn(ctx, technician_id)
}

const given = ({ technician_id, override }: Assignment, at: Date) => ({
  chosen_technician_id: technician_id,
  applied_at: at,
  assigning_until: null,
  ...(override
    ? ({ status: 'OVERRIDDEN', overridden_by_name: override.by_name, comment: override.comment } as const)
    : ({ status: 'APPLIED' } as const)),
})

const ended = ({ explanation }: DecisionRow, { status, reason }: Ending) => ({
  status,
  explanation: `${explanation} ${reason}`,
  assigning_until: null,
})

/** Settles the locked decision by its outcome. COMMIT does not travel with it: a refusal may follow. */
export const settle = (
  ctx: MutationContext,
  locked: DecisionRow | Promise<DecisionRow>,
  outcome: Outcome,
): Promise<DecisionRow> =>
  'assigned' in outcome
    ? change(ctx, DECISION, locked, {
        verb: outcome.assigned.override ? 'overridden' : 'applied',
        from: OPEN,
        decide: () => given(outcome.assigned, outcome.at),
        beforeWrite: (decision) => remember(ctx, decision, outcome.assigned),
      })
    : change(ctx, DECISION, locked, {
        verb: outcome.ending.status === 'FAILED' ? 'failed' : 'expired',
        from: OPEN,
        decide: (decision) => ended(decision, outcome.ending),
        beforeWrite: async () => {},
      })
