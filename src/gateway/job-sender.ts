/** Jobs are stored in the transactions of their callers. */
import type { Tenancy, Transaction } from '../db/tenancy/context.ts'

/** The form in which a job is stored. */
export interface StoredJob {
  /** null for a job of the system. */
  tenancy: Tenancy | null
  payload: unknown
  /** The workers that were lost with the job: absent if none was. */
  lost?: number
}

export interface SendOptions {
  /** Not to run before this instant. */
  start_after?: Date
  /** true: an equal job that waits runs instead, after the transaction. */
  joins_waiting?: boolean
}

export interface JobSender {
  /** The id of the job, which is there when the transaction has committed. */
  send(transaction: Transaction, queue: string, job: StoredJob, sending?: SendOptions): Promise<string>
  sendAll(
    transaction: Transaction,
    queue: string,
    jobs: readonly ({ job: StoredJob } & SendOptions)[],
  ): Promise<void>
}
