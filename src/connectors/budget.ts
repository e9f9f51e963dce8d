/** The budget of what is asked of vendors for a tenant, over all processes. */
import type { Sql } from '../db/sql.ts'
import type { Pace } from './port.ts'

/** The tenant and the vendor of a budget. */
export interface BudgetOwner {
  system: string
  tenant_id: string
}

export interface Taken {
  taken: number
  /** Until the budget has more; 0 if all that were wanted were taken. */
  wait_seconds: number
}

/** Those who go before others, first. */
export const PACES: readonly Pace[] = ['PERSON', 'AGENT', 'CALLBACK', 'SYNC']

/** The seconds in which the budget gains the requests that are left to those who go before. */
export const LEFT_SECONDS: Readonly<Record<Pace, number>> = { PERSON: 0, AGENT: 0, CALLBACK: 4, SYNC: 12 }

export interface VendorBudget {
  /** Takes up to so many requests, but leaves what the budget gains in some seconds. It rejects if the budget cannot be asked. */
  take(owner: BudgetOwner, wanted: number, left_seconds: number): Promise<Taken>
  /** Takes so many requests or none, by the statement of the caller's transaction. */
  reserve(sql: Sql, owner: BudgetOwner, requests: number, left_seconds: number): Promise<Taken>
  /** Gives requests back that were not made. */
  giveBack(owner: BudgetOwner, requests: number): void
  /** Takes the kilobytes of an answer: seconds until the budget has so many; 0 if they were taken. */
  takeKilobytes(owner: BudgetOwner, kilobytes: number): Promise<number>
}

/** The budget of those who have none. */
export const NO_BUDGET: VendorBudget = {
  take: async (_owner, taken) => ({ taken, wait_seconds: 0 }),
  reserve: async (_sql, _owner, taken) => ({ taken, wait_seconds: 0 }),
  giveBack() {},
  takeKilobytes: async () => 0,
}
