/** The private parts of Prisma's driver adapters that the service calls. */
import type { Transaction as PrismaTransaction, TransactionOptions } from '@prisma/driver-adapter-utils'
import type { Adapter } from './driver.ts'

interface Internals {
  onError(error: unknown): never
  /** Of the embedded database's adapter. */
  startTransactionInner(on: unknown, options: TransactionOptions): Promise<PrismaTransaction>
}

const internalsOf = (adapter: Adapter) => adapter as unknown as Internals

/** Throws a database's error in the form of Prisma's engine. */
export const rethrow = (adapter: Adapter, error: unknown): never => internalsOf(adapter).onError(error)

/** Prisma then sends neither COMMIT nor ROLLBACK. */
const PHANTOM = { usePhantomQuery: true }

/** A transaction of the embedded database's adapter, on what opens transactions for it. */
export const startOnEmbedded = (
  adapter: Adapter,
  opener: { transaction: unknown },
): Promise<PrismaTransaction> => internalsOf(adapter).startTransactionInner(opener, PHANTOM)

/** A transaction of PostgreSQL's adapter on this connection. */
export async function startOnConnection(adapter: Adapter, connection: unknown): Promise<PrismaTransaction> {
  const joined = Object.create(adapter, { client: { value: { connect: async () => connection } } }) as Adapter
  const { startTransaction } = Object.getPrototypeOf(adapter) as Adapter
  const transaction = await startTransaction.call(joined)
  return Object.assign(transaction, { options: { ...transaction.options, ...PHANTOM } })
}
