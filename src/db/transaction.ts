/** Transactions: one connection, which statements of our own and Prisma's client share. */

import type { Connection } from './driver.ts'
import { statement } from './sql.ts'
import { type DatabaseContext, type Scoped, type Transaction, tenancyOf, timed } from './tenancy/context.ts'
import { narrowedPrisma } from './tenancy/narrowed-prisma.ts'
import { forTenant } from './tenancy/tenant-work.ts'

interface TransactionOptions {
  /** A write that is declared to be the last may be sent together with COMMIT. */
  write_is_last?: boolean
}

/**
 * Runs `work` in one transaction, which `db` and `sql` use until it ends: committed if `work` resolves, rolled back
 * if it rejects or takes longer than `timeout_ms`. Inside an open transaction it is a savepoint.
 */
export async function inTransaction<T>(
  ctx: DatabaseContext,
  timeout_ms: number,
  work: () => Promise<T>,
  { write_is_last = false }: TransactionOptions = {},
): Promise<T> {
  if (ctx.transaction) return await inSavepoint(ctx.transaction, work)
  const { db_time, services } = ctx
  let settled = false
  const listeners: (() => void)[] = []
  const run = async (connection: Connection): Promise<T> => {
    const transaction = new OpenTransaction(ctx, connection, timeout_ms, write_is_last, listeners)
    ctx.transaction = transaction
    // Beginning and committing count as database time, the work between its statements does not.
    db_time.stop()
    try {
      return await work()
    } finally {
      settled = true
      db_time.start()
      await transaction.leavePrisma()
    }
  }
  return await timed(db_time, async () => {
    try {
      return await forCaller(ctx, () => services.database.transaction(timeout_ms, run))
    } finally {
      // Work that outlives its time keeps the ended transaction, so that its statements fail instead of running alone.
      if (settled) ctx.transaction = null
      for (const ended of listeners) ended()
    }
  })
}

/** Work that is no tenant's is the service's own. */
const forCaller = <Result>({ viewer }: DatabaseContext, work: () => Result): Result =>
  viewer ? forTenant(viewer.tenant_id, work) : work()

class OpenTransaction implements Transaction {
  readonly #ctx: DatabaseContext
  readonly #connection: Connection
  readonly #timeout_ms: number
  readonly #listeners: (() => void)[]
  #prisma: JoinedPrisma | null = null
  readonly rowsAndCommit?: Transaction['rows']

  constructor(
    ctx: DatabaseContext,
    connection: Connection,
    timeout_ms: number,
    write_is_last: boolean,
    listeners: (() => void)[],
  ) {
    this.#ctx = ctx
    this.#connection = connection
    this.#timeout_ms = timeout_ms
    this.#listeners = listeners
    const { rowsAndCommit } = connection
    if (!write_is_last || !rowsAndCommit) return
    this.rowsAndCommit = async (query, values) => {
      await this.leavePrisma()
      return await timed(ctx.db_time, () => rowsAndCommit(query, values))
    }
  }

  rows: Transaction['rows'] = (query, values) =>
    timed(this.#ctx.db_time, () => this.#connection.rows(query, values))

  onEnd(listener: () => void): void {
    this.#listeners.push(listener)
  }

  get prisma(): Scoped {
    this.#prisma ??= joinPrisma(this.#ctx, this.#connection, this.#timeout_ms)
    return this.#prisma.client
  }

  /** Ends Prisma's part, so that the connection is ours alone again. */
  async leavePrisma(): Promise<void> {
    await this.#prisma?.leave()
  }
}

interface JoinedPrisma {
  client: Scoped
  leave(): Promise<void>
}

/** Begins an interactive transaction of Prisma's that is the one which is open on the connection already. */
function joinPrisma(ctx: DatabaseContext, connection: Connection, timeout: number): JoinedPrisma {
  const joined = Promise.withResolvers<Scoped>()
  const left = Promise.withResolvers<void>()
  const whole = connection.joinedBy(() =>
    narrowedPrisma(ctx).$transaction(
      async (client) => {
        joined.resolve(client as unknown as Scoped)
        await left.promise
      },
      { timeout, maxWait: timeout },
    ),
  )
  whole.catch(joined.reject)
  return {
    client: clientOf(joined.promise),
    async leave() {
      left.resolve()
      // An error of a statement has been thrown if the statement was awaited.
      await whole.catch(() => {})
    },
  }
}

type Operation = (args?: unknown) => Promise<unknown>

/** Prisma's client, whose operations wait until it has joined the transaction. */
function clientOf(client: Promise<Scoped>): Scoped {
  const modelOf = (model: string) =>
    new Proxy({} as Record<string, Operation>, {
      get: (_target, name) => async (args?: unknown) => {
        const models = (await client) as unknown as Record<string, Record<string, Operation>>
        return await models[model]?.[name as string]?.(args)
      },
    })
  return new Proxy({} as Scoped, {
    get: (_target, name) => (typeof name === 'string' && name !== 'then' ? modelOf(name) : undefined),
  })
}

/** The transaction for a part of its work, none of whose writes is the last one. */
export const withoutCommit = (transaction: Transaction): Transaction => ({
  rows: (query, values) => transaction.rows(query, values),
  onEnd: (listener) => transaction.onEnd(listener),
  get prisma() {
    return transaction.prisma
  },
})

const SAVEPOINT = statement('savepoint', 'savepoint nested')
const RELEASE = statement('savepoint_release', 'release savepoint nested')
const ROLL_BACK = statement('savepoint_rollback', 'rollback to savepoint nested')

/** A savepoint hides an earlier one of the same name until it is released. */
async function inSavepoint<T>(transaction: Transaction, work: () => Promise<T>): Promise<T> {
  await transaction.rows(SAVEPOINT, [])
  try {
    const result = await work()
    await transaction.rows(RELEASE, [])
    return result
  } catch (error) {
    // One that is rolled back to stays, and would hide the earlier one. A connection that cannot roll back fails the whole
    // transaction.
    await transaction
      .rows(ROLL_BACK, [])
      .then(() => transaction.rows(RELEASE, []))
      .catch(() => {})
    throw error
  }
}

const LOCK = statement('tenant_lock', 'select pg_advisory_xact_lock(hashtextextended($1, 0))')

const TRY_LOCK = statement(
  'try_tenant_lock',
  'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as is_locked',
)

const keyOf = (ctx: DatabaseContext, lock: string): string => JSON.stringify([tenancyOf(ctx).tenant_id, lock])

function transactionFor({ transaction }: DatabaseContext, lock: string): Transaction {
  if (!transaction) throw new Error(`The lock ${lock} is held by no transaction`)
  return transaction
}

/** Waits for the tenant's lock of this name, in any environment, and holds it until the transaction ends. */
export async function lockTenant(ctx: DatabaseContext, lock: string): Promise<void> {
  await transactionFor(ctx, lock).rows(LOCK, [keyOf(ctx, lock)])
}

/** The same without waiting: false if another transaction holds the lock. */
export async function tryLockTenant(ctx: DatabaseContext, lock: string): Promise<boolean> {
  const [row] = await transactionFor(ctx, lock).rows<{ is_locked: boolean }>(TRY_LOCK, [keyOf(ctx, lock)])
  return row?.is_locked ?? false
}
