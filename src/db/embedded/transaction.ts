/** Transactions on the embedded database, which Prisma joins if an area uses it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { PGlite, Transaction } from '@electric-sql/pglite'
import type { Transaction as PrismaTransaction } from '@prisma/driver-adapter-utils'
import { withTimeout } from '../../lib/timeout.ts'
import { rethrow, startOnEmbedded } from '../adapter-internals.ts'
import { type Adapter, type Driver, transactionTimeout } from '../driver.ts'
import { type Query, rowsBy } from './query.ts'

/** The open transaction that Prisma is asked to join. */
const joining = new AsyncLocalStorage<Query>()

export const transactions =
  (pglite: PGlite): Driver['transaction'] =>
  (timeout_ms, work) =>
    pglite.transaction(async (open) => {
      let ended = false
      let failed = false
      const run = open.query as Query
      const query: Query = async (text, values, options) => {
        if (ended) throw new Error('The transaction has ended: its timeout expired')
        try {
          return await run(text, values, options)
        } catch (error) {
          failed = true
          throw error
        }
      }
      try {
        const result = await withTimeout(
          timeout_ms,
          work({
            rows: rowsBy(query),
            joinedBy: (begin) => joining.run(query, begin),
          }),
          transactionTimeout,
        )
        // A transaction with a failed statement accepts no other, unless a savepoint was rolled back to.
        if (failed) await open.query('select 1')
        return result
      } finally {
        ended = true
      }
    })

type Transacts = { transaction: (work: Parameters<PGlite['transaction']>[0]) => Promise<unknown> }

/** A transaction of Prisma's: the one that is open, or one of its own whose commit is waited for. */
export async function startTransaction(pglite: PGlite, adapter: Adapter): Promise<PrismaTransaction> {
  const query = joining.getStore()
  if (query) {
    const open = { query, rollback: async () => {} } as unknown as Transaction
    // The adapter expects its callback in a later microtask.
    const joined: Transacts = { transaction: (work) => Promise.resolve(open).then(work) }
    return await startOnEmbedded(adapter, joined)
  }
  let outcome: Promise<unknown> = Promise.resolve()
  const watched: Transacts = {
    transaction: (work) => {
      outcome = pglite.transaction(work)
      return outcome
    },
  }
  const transaction = await startOnEmbedded(adapter, watched)
  const commit = transaction.commit.bind(transaction)
  return Object.assign(transaction, {
    commit: async () => {
      await commit()
      await outcome.catch((error: unknown) => rethrow(adapter, error))
    },
  })
}
