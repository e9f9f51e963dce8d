/** The database as one caller reaches it: their tenant, their environment, nothing else. */

import { type Statement, statement } from './sql.ts'
import { type DatabaseContext, type Scoped, type Tenancy, tenancyOf, timed } from './tenancy/context.ts'
import { narrowedPrisma } from './tenancy/narrowed-prisma.ts'
import { forTenant } from './tenancy/tenant-work.ts'

export { type DatabaseContext, type Scoped, type Tenancy, tenancyOf } from './tenancy/context.ts'

/** Prisma's client, narrowed to the caller; inside a mutation, in its transaction. */
export const db = (ctx: DatabaseContext): Scoped =>
  ctx.transaction?.prisma ?? (narrowedPrisma(ctx) as unknown as Scoped)

/** The composite key of a row in the caller's tenant and environment. */
export function ownKey<Key extends object>(ctx: DatabaseContext, key: Key): Key & Tenancy {
  const { tenant_id, environment } = tenancyOf(ctx)
  return { tenant_id, environment, ...key }
}

/** A statement on tenant-owned rows: `$1` is the caller's tenant, `$2` their environment. */
export function scoped(name: string, text: string): Statement {
  if (!/\btenant_id = \$1\b/.test(text) || !/\benvironment = \$2\b/.test(text)) {
    throw new Error(`The statement ${name} is not narrowed to a tenant`)
  }
  return statement(name, text)
}

/**
 * An insert of a tenant-owned row: the first two values are `$1` and `$2`, the caller's tenant and environment.
 */
export function scopedInsert(name: string, text: string): Statement {
  if (
    !/^insert into \w+ \(tenant_id, environment\b/.test(text) ||
    !/\b(?:values \(|select )\$1, \$2\b/.test(text)
  ) {
    throw new Error(`The insert ${name} is not narrowed to a tenant`)
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

/** The rows of the last statement of a transaction, with which COMMIT travels if nothing follows the mutation. */
export async function sqlAndCommit<Row>(
  ctx: DatabaseContext,
  query: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { transaction } = ctx
  if (!transaction?.rowsAndCommit) return await sql(ctx, query, values)
  const { tenant_id, environment } = tenancyOf(ctx)
  return await transaction.rowsAndCommit(query, [tenant_id, environment, ...values])
}

/** The rows of a `scoped` statement, for the caller; `values` start at `$3`, of a `tenantWide` or `ownTenant` one at `$2`. */
export async function sql<Row>(
  ctx: DatabaseContext,
  query: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { tenant_id, environment } = tenancyOf(ctx)
  const all = query.tenant_wide ? [tenant_id, ...values] : [tenant_id, environment, ...values]
  const { transaction, reads, services } = ctx
  if (transaction) return await transaction.rows<Row>(query, all)
  const read = () => services.database.sql.rows<Row>(query, all, reads)
  return await timed(ctx.db_time, () => forTenant(tenant_id, read))
}
