/** The part of a call's context that the database needs: the caller, and the open transaction. */
import type { Stopwatch } from '../../lib/stopwatch.ts'
import type { Database } from '../database.ts'
import type { ExternalReads } from '../external-reads.ts'
import type { PrismaClient } from '../generated/client/client.ts'
import type { ReadBudget } from '../read-budget.ts'
import type { Sql } from '../sql.ts'

export interface Tenancy {
  tenant_id: string
  environment: string
}

type Raw = '$queryRaw' | '$queryRawUnsafe' | '$executeRaw' | '$executeRawUnsafe'

/** Prisma's client, narrowed to one tenant and environment. Raw statements go through `sql`. */
export type Scoped = Omit<
  PrismaClient,
  Raw | '$extends' | '$on' | '$connect' | '$disconnect' | '$transaction'
>

export interface DatabaseContext {
  viewer: Tenancy | null
  services: { database: Database }
  /** The open transaction: `db` and `sql` use it. */
  transaction: Transaction | null
  /** The questions of the transaction's work to other systems, if that work can be done again. */
  external_reads?: ExternalReads | null
  /** The bytes that reads outside of transactions may give. null, or none: as many as there are. */
  reads?: ReadBudget | null
  /** Measures the time in which the call waits for a statement. */
  db_time: Stopwatch
}

/** An open transaction. `rows` sends a statement on its connection. */
export interface Transaction extends Sql {
  /** Sends the last statement together with COMMIT. It is absent if the transaction goes on after a change. */
  readonly rowsAndCommit?: Sql['rows']
  /** The listener is called once the transaction has ended, whichever way. */
  onEnd(listener: () => void): void
  /** Prisma's client inside this transaction. Prisma joins when it is first used. */
  readonly prisma: Scoped
}

/** The caller's tenant and environment. Operations for anyone have none. */
export function tenancyOf({ viewer }: Pick<DatabaseContext, 'viewer'>): Tenancy {
  if (!viewer) throw new Error('An operation for anyone reached for tenant data')
  return viewer
}

/** Measures `work` as time that the call spends in the database. */
export async function timed<T>(db_time: Stopwatch, work: () => Promise<T>): Promise<T> {
  db_time.start()
  try {
    return await work()
  } finally {
    db_time.stop()
  }
}
