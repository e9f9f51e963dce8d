/** Applying a suggestion, and choosing another technician. */
import { scope } from '../../../access/policies/policies.ts'
import { callerOf, recordedName } from '../../../access/viewer.ts'
import { ApiError, bodyProblem, invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { checkIfMatch } from '../../../gateway/entity-tags.ts'
import { refuseSecrets } from '../../../gateway/refuse-secrets.ts'
import { committing } from '../../../gateway/transaction.ts'
import { builder } from '../../../schema/builder.ts'
import { psaIdOf } from '../../technicians/index.ts'
import { area } from '../area.ts'
import type { Assignment, DecisionRow } from '../decision.ts'
import { closed, DECISION } from '../queries.ts'
import { DISPATCH_SETTINGS } from '../settings/dispatch-settings.ts'
import { carryOut, type Outcome, orLeave } from './carry-out.ts'
import { assignmentOf, isOpen, isOver } from './endings.ts'
import { leaveUnsettled, takeLease } from './lease.ts'
import { settle } from './settle.ts'

const writers = scope('dispatch:write')

/** The write that the caller wants; it throws the refusal of one that is not possible. */
type Intent = (ctx: Context, decision: DecisionRow) => Promise<Assignment>

// Contract silent: a suggestion whose technician was deleted has no choice any more, and can be overridden.
const toApply: Intent = async (ctx, { id, suggested_technician_id: technician_id }) => {
  const psa_id = technician_id === null ? null : await psaIdOf(ctx, technician_id)
  if (technician_id === null || psa_id === null) throw new ApiError('no_candidates')
  return assignmentOf(id, { technician_id, psa_id })
}

// Contract silent: the technician who is suggested is no other choice, and is refused.
const toOverride =
  (technician_id: number, comment: string): Intent =>
  async (ctx, { id, suggested_technician_id }) => {
    if (technician_id === suggested_technician_id)
      throw invalid([
        bodyProblem(
          'technician_id',
          'already_suggested',
          'is the technician who is suggested: apply the decision',
        ),
      ])
    const psa_id = await psaIdOf(ctx, technician_id)
    if (psa_id === null)
      throw invalid([bodyProblem('technician_id', 'unknown', 'is not a technician of the tenant')])
    const by_name = recordedName(callerOf(ctx))
    return assignmentOf(id, { technician_id, psa_id }, { by_name, comment })
  }

/** The decision, locked, and the write that is wanted of it, once nothing refuses it. */
async function checked(
  ctx: Context,
  id: string,
  intent: Intent,
): Promise<{ decision: DecisionRow; intended: Assignment }> {
  const { enabled } = await DISPATCH_SETTINGS.read(ctx)
  const decision = await DECISION.lock(ctx, id as never)
  checkIfMatch(ctx, DECISION.etag(decision, ctx))
  if (!isOpen(decision)) throw closed(decision.status)
  if (isOver(decision, ctx.now)) throw closed('EXPIRED')
  if (!enabled) throw new ApiError('dispatch_disabled')
  return { decision, intended: await intent(ctx, decision) }
}

/** The outcome of the decision in the PSA, once nothing refuses the call. */
async function workOf(ctx: Context, id: string, intent: Intent): Promise<{ outcome: Outcome; key: string }> {
  let intended: Assignment | null = null
  const leased = await takeLease(ctx, async () => {
    const found = await checked(ctx, id, intent)
    intended = found.intended
    return found.decision
  })
  if (!leased || !intended) throw new Error(`The decision ${id} was open and is not`)
  const { key } = intended as Assignment
  const outcome = await orLeave(
    () => leaveUnsettled(ctx, leased),
    () => carryOut(ctx, leased, intended),
  )
  if (!outcome) throw new Error(`The write of the decision ${id} came to nothing`)
  return { outcome, key }
}

// Contract silent: an earlier write that turns out to be made settles the decision, and refuses another choice.
/** Carries the write out once for the call, while no transaction is open, and settles the decision by its outcome. */
async function assigned(ctx: Context, id: string, intent: Intent): Promise<DecisionRow> {
  const { external_reads } = ctx
  if (!external_reads) throw new Error('A ticket is given to a technician by a call alone')
  const ask = () => workOf({ ...ctx, transaction: null, external_reads: null }, id, intent)
  const question = JSON.stringify(['dispatch.assign', id])
  const { outcome, key } = (await external_reads.read(question, ask)) as Awaited<ReturnType<typeof ask>>
  ctx.now = ctx.services.now()
  const decision = await settle(ctx, DECISION.lock(ctx, id as never), outcome)
  if ('assigned' in outcome && outcome.assigned.key === key) return decision
  throw committing(closed(decision.status))
}

const COMMON = {
  type: DECISION.type,
  access: writers,
  etag: DECISION.etag,
} as const

const ERRORS = [
  'dispatch_decision_not_found',
  'dispatch_decision_closed',
  'dispatch_disabled',
  'version_conflict',
  'upstream_unavailable',
] as const

area.mutation('apply_dispatch_decision', (t) =>
  t.field({
    ...COMMON,
    description:
      'Gives the ticket to the suggested technician, in the PSA. A ticket that was closed or assigned meanwhile makes the ' +
      'decision EXPIRED, and one whose technician the PSA refuses FAILED: both are answered with ' +
      '`dispatch_decision_closed`. While the PSA is away the decision stays as it is.',
    rest: { method: 'POST', path: '/dispatch/decisions/{decision_id}/apply' },
    errors: [...ERRORS, 'no_candidates'],
    args: { decision_id: t.arg(DECISION.key) },
    resolve: (_root, { decision_id }, ctx) => assigned(ctx, String(decision_id), toApply) as never,
  }),
)

const DispatchOverride = builder.inputType('DispatchOverride', {
  description: 'The choice of another technician.',
  fields: (t) => ({
    technician_id: t.int({
      required: true,
      description: 'The technician who gets the ticket, by the `id`: another one than the suggested one.',
    }),
    comment: t.string({
      required: true,
      min_length: 1,
      max_length: 2000,
      description: 'The reason for the choice. It holds no secret.',
    }),
  }),
})

area.mutation('override_dispatch_decision', (t) =>
  t.field({
    ...COMMON,
    description:
      'Gives the ticket to another technician than the suggested one, in the PSA; also if no technician fits. It is refused ' +
      'and ends as `apply_dispatch_decision` does.',
    rest: { method: 'POST', path: '/dispatch/decisions/{decision_id}/override' },
    errors: [...ERRORS, 'secret_in_content'],
    args: { decision_id: t.arg(DECISION.key), input: t.arg({ type: DispatchOverride, required: true }) },
    resolve: (_root, { decision_id, input: { technician_id, comment } }, ctx) => {
      refuseSecrets({ comment })
      return assigned(ctx, String(decision_id), toOverride(technician_id, comment)) as never
    },
  }),
)
