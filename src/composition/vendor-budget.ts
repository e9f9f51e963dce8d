/** The budgets of requests to vendors: each tenant has one with each vendor, over all processes. */
import type { Limits } from '../access/limits/catalogue.ts'
import type { Limiter } from '../access/limits/limiter.ts'
import { withTimeout } from '../lib/timeout.ts'

const ASK_MS = 500

/** Takes one request. Answers with the seconds until there is one; 0 if it was taken, or if the budget cannot be asked. */
export const vendorBudget =
  (limiter: () => Limiter, limits: Limits) =>
  async ({ system, tenant_id }: { system: string; tenant_id: string }): Promise<number> => {
    const limit = limits[`${system.toLowerCase()}_requests`]
    if (!limit) return 0
    try {
      const taken = Promise.resolve(limiter().take(limit, tenant_id))
      const decision = await withTimeout(ASK_MS, taken, () => new Error('The budget did not answer'))
      return decision.retry_after_seconds
    } catch {
      return 0
    }
  }
