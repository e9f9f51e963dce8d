/** The budgets of calls to vendors: each tenant has one of requests to each vendor, and one of what vendors answer. */
import { FROM_VENDORS, type Limits } from '../access/limits/catalogue.ts'
import type { Limiter } from '../access/limits/limiter.ts'
import { withTimeout } from '../lib/timeout.ts'

const ASK_MS = 500

/**
 * Takes one request, or kilobytes of an answer. Answers with the seconds until there is so much; 0 if it was taken, or if the
 * budget cannot be asked.
 */
export const vendorBudget =
  (limiter: () => Limiter, limits: Limits) =>
  async (
    { system, tenant_id }: { system: string; tenant_id: string },
    kilobytes?: number,
  ): Promise<number> => {
    const limit = limits[kilobytes === undefined ? `${system.toLowerCase()}_requests` : FROM_VENDORS.name]
    if (!limit) return 0
    try {
      const taken = Promise.resolve(limiter().take(limit, tenant_id, kilobytes))
      const decision = await withTimeout(ASK_MS, taken, () => new Error('The budget did not answer'))
      return decision.retry_after_seconds
    } catch {
      return 0
    }
  }
