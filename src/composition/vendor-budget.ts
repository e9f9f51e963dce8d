/** The budgets of calls to vendors: each tenant has one of requests to each vendor, and one of what vendors answer. */
import { FROM_VENDORS, type Limits } from '../access/limits/catalogue.ts'
import type { Limiter } from '../access/limits/limiter.ts'
import { capacity, speed } from '../access/limits/rules.ts'
import type { Limit } from '../access/limits/state.ts'
import type { BudgetOwner, VendorBudget } from '../connectors/budget.ts'
import { withTimeout } from '../lib/timeout.ts'

const ASK_MS = 500

const inTime = <Answer>(asked: Answer | Promise<Answer>): Promise<Answer> =>
  withTimeout(ASK_MS, Promise.resolve(asked), () => new Error('The budget did not answer'))

export function vendorBudget(limiter: () => Limiter, limits: Limits): VendorBudget {
  const limitOf = ({ system }: BudgetOwner): Limit | undefined => limits[`${system.toLowerCase()}_requests`]
  /** The requests that are left of the budget, so that something can be taken of it all the same. */
  const kept = (limit: Limit, seconds: number, need: number): number =>
    Math.max(0, Math.min(Math.floor(speed(limit) * seconds), capacity(limit) - need))
  function giveBack(owner: BudgetOwner, requests: number): void {
    const limit = limitOf(owner)
    if (!limit || requests <= 0) return
    const given = limiter().returnShared(limit, owner.tenant_id, requests)
    given.catch(() => {})
  }

  return {
    async take(owner, wanted, left_seconds) {
      const limit = limitOf(owner)
      if (!limit) return { taken: wanted, wait_seconds: 0 }
      const left = kept(limit, left_seconds, 1)
      const asked = limiter().takeShared(limit, owner.tenant_id, { need: 1, wanted, left })
      return await inTime(asked).catch((error) => {
        // What is taken too late is given back.
        asked.then(({ taken }) => giveBack(owner, taken)).catch(() => {})
        throw error
      })
    },
    async reserve(sql, owner, requests, left_seconds) {
      const limit = limitOf(owner)
      if (!limit) return { taken: requests, wait_seconds: 0 }
      const need = Math.min(requests, capacity(limit))
      const left = kept(limit, left_seconds, need)
      return await limiter().takeShared(limit, owner.tenant_id, { need, wanted: need, left }, sql)
    },
    giveBack,
    async takeKilobytes({ tenant_id }, kilobytes) {
      const limit = limits[FROM_VENDORS.name]
      if (!limit) return 0
      const { retry_after_seconds } = await inTime(limiter().take(limit, tenant_id, kilobytes))
      return retry_after_seconds
    },
  }
}
