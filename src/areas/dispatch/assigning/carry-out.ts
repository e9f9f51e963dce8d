/** Giving a ticket to a technician in the PSA: once, whatever fails. */
import { PortRefusal } from '../../../connectors/port.ts'
import { type Psa, type PsaTicket, psaOf } from '../../../connectors/psa.ts'
import { unavailable } from '../../../errors/errors.ts'
import type { Assignment } from '../decision.ts'
import { type Ending, endingBy, refusedBy } from './endings.ts'
import { LATE_SECONDS, type Leased, type LeasingContext, mayBeLate, storeAssignment } from './lease.ts'

/** The outcome of a decision. `assigned`: the PSA has the write. */
export type Outcome = { assigned: Assignment; at: Date } | { ending: Ending }

/** True if an earlier process made the write. Where nobody can tell, a ticket that has its technician shows it. */
async function isMade(
  psa: Psa,
  ticket_id: string,
  { key, psa_id }: Assignment,
  ticket: PsaTicket | null,
): Promise<boolean> {
  const outcome = await psa.outcomeOf(key, { ticket_id, changes: { assignee_psa_id: psa_id } })
  return outcome === 'UNKNOWN' ? ticket?.assignee_psa_id === psa_id : outcome === 'MADE'
}

/**
 * Makes the write in the PSA, outside of any transaction, unless one that began earlier was made. `intended` null: nothing is
 * written, and null is answered if no earlier write was made and nothing else ends the decision.
 */
export async function carryOut(
  ctx: LeasingContext,
  leased: Leased,
  intended: Assignment | Ending | null,
): Promise<Outcome | null> {
  const { ticket_id, assignment: earlier } = leased.decision
  const made = (assigned: Assignment): Outcome => ({ assigned, at: ctx.services.now() })
  // The PSA itself tells the work of other processes.
  const psa = psaOf({ ...ctx, fresh: true })
  const ticket = await psa.ticket(ticket_id)
  const writes = intended && 'key' in intended
  if (earlier && (await isMade(psa, ticket_id, earlier, ticket)))
    return made(writes && intended.key === earlier.key ? intended : earlier)
  const ending = intended && !writes ? intended : endingBy(ticket)
  if (ending) return { ending }
  if (!writes) return null
  // Two writes of two technicians would be made in an order that nobody knows.
  if (earlier && earlier.key !== intended.key && mayBeLate(earlier, ctx.services.now()))
    throw unavailable(LATE_SECONDS)
  await storeAssignment(ctx, leased, intended)
  try {
    await psa.updateTicket(ticket_id, { assignee_psa_id: intended.psa_id }, intended.key)
  } catch (error) {
    if (!(error instanceof PortRefusal)) throw error
    return { ending: refusedBy(error.reason) }
  }
  return made(intended)
}

/** Does the work with the PSA; a decision whose work fails is left to others. */
export async function orLeave<Result>(
  leave: () => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await leave()
    throw error
  }
}
