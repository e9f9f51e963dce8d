/** The entrance of requests to vendors: each has its turn in the budget, and then a place among the requests at once. */
import { whileTimeStandsStill } from '../../lib/deadline.ts'
import { type BudgetOwner, PACES, type VendorBudget } from '../budget.ts'
import { presentAsker } from './asking.ts'
import { presentCall, READ_BOUNDS } from './call.ts'
import { VendorFailure } from './failure.ts'
import { createPlaces, type PlaceLeases } from './places.ts'
import { createTurns } from './turns.ts'

/** The kind of thing that is asked for, and the requests of the tenant for things of the kind that the vendor takes at once. */
export interface AtOnce {
  kind: string
  most: number
}

/** Of a vendor that says nothing of requests at once. */
const AT_ONCE: AtOnce = { kind: '', most: 8 }

/** The time for which work that no person watches waits for its turn. */
const PATIENCE_MS = 120_000

export function createEntrance(budget: VendorBudget, leases: PlaceLeases) {
  const turns = createTurns(budget)
  const places = createPlaces(leases)

  return {
    /**
     * Resolves when the request may be made, with the function to call at its end. While work waits that no person watches, and that
     * writes nothing, the limits of its time stand still.
     */
    async enter(owner: BudgetOwner, signal: AbortSignal, at_once = AT_ONCE): Promise<() => void> {
      const { pace, prepaid, is_bounded = false, signal: watched } = presentAsker()
      const stands_still = pace !== 'PERSON' && !is_bounded
      const patience_ms = stands_still ? PATIENCE_MS : (presentCall()?.left() ?? READ_BOUNDS.ms)
      const refused = (message: string, retry_after_seconds: number): VendorFailure =>
        new VendorFailure(message, { kind: 'LIMIT', retry_after_seconds, not_made: true })
      const late = (wait_seconds: number): VendorFailure =>
        refused(`The budget of requests to ${owner.system} is used up`, wait_seconds)
      const signals = [signal, watched, stands_still ? AbortSignal.timeout(PATIENCE_MS) : undefined]
      const until = AbortSignal.any(signals.filter((one) => one !== undefined))
      const wait = async (): Promise<() => void> => {
        const is_prepaid = prepaid !== undefined && prepaid.requests > 0
        if (is_prepaid) prepaid.requests--
        else await turns.wait(owner, { pace, patience_ms, signal: until, late })
        try {
          const key = JSON.stringify([owner.tenant_id, owner.system, at_once.kind])
          return await places.enter(key, { ...at_once, rank: PACES.indexOf(pace) }, until)
        } catch (error) {
          if (is_prepaid) prepaid.requests++
          else budget.giveBack(owner, 1)
          if (!until.aborted) throw error
          throw refused(`Requests to ${owner.system} have no place: ${at_once.most} at once are under way`, 1)
        }
      }
      try {
        return await (stands_still ? whileTimeStandsStill(wait) : wait())
      } catch (error) {
        throw error instanceof VendorFailure ? error : late(1)
      }
    },
  }
}
