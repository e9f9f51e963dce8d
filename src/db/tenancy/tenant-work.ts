/** For whom the running code uses the database, as the pool of connections asks. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Claim } from './connection-shares.ts'

const claims = new AsyncLocalStorage<Claim>()

const OF_THE_SERVICE: Claim = { tenant_id: null, holds_one: false }

export const currentClaim = (): Claim => claims.getStore() ?? OF_THE_SERVICE

/** Does the work for the tenant. */
export function forTenant<Result>(tenant_id: string, work: () => Result): Result {
  const { tenant_id: current, holds_one } = currentClaim()
  return current === tenant_id ? work() : claims.run({ tenant_id, holds_one }, work)
}

/** Does work that says in its claim when it holds a connection. */
export function holding<Result>(work: (claim: Claim) => Result): Result {
  const claim = { ...currentClaim() }
  return claims.run(claim, work, claim)
}
