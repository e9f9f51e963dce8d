/** The database as one caller reaches it: their tenant, their environment, nothing else. */
import type { Stopwatch } from '../lib/stopwatch.ts'
import type { Database } from './database.ts'
import type { PrismaClient } from './generated/client/client.ts'
import { type Statement, statement } from './sql.ts'

export interface Tenancy {
  tenant_id: string
  environment: string
}

type Raw = '$queryRaw' | '$queryRawUnsafe' | '$executeRaw' | '$executeRawUnsafe'

/** Prisma, narrowed. Raw statements go through `sql`. */
export type Scoped = Omit<
  PrismaClient,
  Raw | '$extends' | '$on' | '$connect' | '$disconnect' | '$transaction'
>

/** What `db` and `sql` need to know of a call. */
export interface Reach {
  viewer: Tenancy | null
  services: { database: Database }
  /** The transaction that the call's mutation runs in. */
  transaction: Transaction | null
  /** Runs while a statement of the call is under way. */
  db_time: Stopwatch
}

export interface Transaction {
  scoped: Scoped
  raw: {
    $queryRawUnsafe<Rows>(query: string, ...values: unknown[]): Promise<Rows>
    $executeRawUnsafe(query: string, ...values: unknown[]): Promise<number>
  }
}

const READS = new Set(['findFirst', 'findFirstOrThrow', 'findMany', 'count', 'aggregate', 'groupBy'])
const CHANGES = new Set(['updateMany', 'updateManyAndReturn', 'deleteMany'])
const CREATES = new Set(['create', 'createMany', 'createManyAndReturn'])

function narrowed(
  operation: string,
  args: Record<string, unknown>,
  tenancy: Tenancy,
): Record<string, unknown> {
  if (READS.has(operation) || CHANGES.has(operation))
    return { ...args, where: { AND: [args.where ?? {}, tenancy] } }
  if (!CREATES.has(operation)) throw new Error(`${operation} cannot be narrowed to a tenant`)
  const data = Array.isArray(args.data) ? args.data : [args.data]
  const owned = data.map((row) => ({ ...row, ...tenancy }))
  return { ...args, data: operation === 'create' ? owned[0] : owned }
}

/** Models that belong to no tenant, and the gateway's own. */
const NOT_TENANT_OWNED = new Set(['Tenant', 'RateBucket'])

async function timed<T>({ db_time }: Reach, work: () => Promise<T>): Promise<T> {
  db_time.start()
  try {
    return await work()
  } finally {
    db_time.stop()
  }
}

function narrow(database: Database, reach: Reach, { tenant_id, environment }: Tenancy) {
  return database.prisma.$extends({
    query: {
      $allModels: {
        async $allOperations({ model, operation, args, query }) {
          if (NOT_TENANT_OWNED.has(model)) throw new Error(`${model} is not reached through a tenant`)
          const owned = narrowed(operation, args as Record<string, unknown>, { tenant_id, environment })
          return await timed(reach, () => query(owned))
        },
      },
    },
  })
}

const clients = new WeakMap<Reach, ReturnType<typeof narrow>>()

function client(reach: Reach): ReturnType<typeof narrow> {
  let narrowedClient = clients.get(reach)
  if (!narrowedClient) {
    narrowedClient = narrow(reach.services.database, reach, tenancyOf(reach))
    clients.set(reach, narrowedClient)
  }
  return narrowedClient
}

/** The caller's tenant and environment. Only operations for anyone run without them. */
export function tenancyOf(reach: Reach): Tenancy {
  if (!reach.viewer) throw new Error('An operation for anyone reached for tenant data')
  return reach.viewer
}

/** Prisma, narrowed to the caller; inside a mutation, its transaction. */
export const db = (reach: Reach): Scoped => reach.transaction?.scoped ?? (client(reach) as unknown as Scoped)

/** Runs `work` in one transaction that `db` and `sql` use until it ends. */
export async function inTransaction<T>(reach: Reach, timeout: number, work: () => Promise<T>): Promise<T> {
  const { db_time } = reach
  const run = async (tx: unknown): Promise<T> => {
    const raw = tx as Transaction['raw']
    reach.transaction = {
      scoped: tx as Scoped,
      raw: {
        $queryRawUnsafe: (...args) => timed(reach, () => raw.$queryRawUnsafe(...args)),
        $executeRawUnsafe: (...args) => timed(reach, () => raw.$executeRawUnsafe(...args)),
      },
    }
    // The begin and the commit are statements too.
    db_time.stop()
    try {
      return await work()
    } finally {
      db_time.start()
    }
  }
  try {
    return await timed(reach, () => client(reach).$transaction(run, { timeout, maxWait: timeout }))
  } finally {
    reach.transaction = null
  }
}

/** A statement on tenant-owned rows: `$1` is the caller's tenant, `$2` their environment. */
export function scoped(name: string, text: string): Statement {
  if (!/\btenant_id = \$1\b/.test(text) || !/\benvironment = \$2\b/.test(text)) {
    throw new Error(`The statement ${name} is not narrowed to a tenant`)
  }
  return statement(name, text)
}

/**
 * A reading statement on rows of all the tenant's environments, for what is limited per tenant: `$1` is the
 * caller's tenant.
 */
export function tenantWide(name: string, text: string): Statement {
  if (!/^select\b/.test(text) || !/\btenant_id = \$1(?!\d)/.test(text)) {
    throw new Error(`The statement ${name} does not only read rows of one tenant`)
  }
  return { ...statement(name, text), tenant_wide: true }
}

/** A statement on the caller's own row of `tenant`: `$1` is its id. */
export function ownTenant(name: string, text: string): Statement {
  if (!/\btenant\b/.test(text) || !/\b(?:where id =|values \() ?\$1(?!\d)/.test(text)) {
    throw new Error(`The statement ${name} is not on one tenant's row`)
  }
  return { ...statement(name, text), tenant_wide: true }
}

/** The rows of a `scoped` statement, for the caller; `values` start at `$3`, of a `tenantWide` or `ownTenant` one at `$2`. */
export async function sql<Row>(
  reach: Reach,
  query: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { tenant_id, environment } = tenancyOf(reach)
  const all = query.tenant_wide ? [tenant_id, ...values] : [tenant_id, environment, ...values]
  const { transaction } = reach
  if (transaction) return await transaction.raw.$queryRawUnsafe<Row[]>(query.text, ...all)
  return await timed(reach, () => reach.services.database.sql.rows<Row>(query, all))
}

/** Waits until no other mutation of the tenant, in any environment, holds the lock; held until this one ends. */
export async function lockTenant(reach: Reach, lock: string): Promise<void> {
  if (!reach.transaction) throw new Error(`The lock ${lock} is held by no transaction`)
  const key = JSON.stringify([tenancyOf(reach).tenant_id, lock])
  await reach.transaction.raw.$executeRawUnsafe('select pg_advisory_xact_lock(hashtextextended($1, 0))', key)
}
