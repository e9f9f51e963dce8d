/**
 * Declared tables of which a tenant has one row in an environment: settings. Before a caller first changes it there is no
 * row, and the defaults count, so that a missing row is never an error.
 */
import { requireTenantRow } from '../../access/credentials/credential.ts'
import { type DatabaseContext, scoped, sql, tenancyOf } from '../../db/db.ts'
import { type Column, type ModelName, readColumns, tableOf } from '../../db/query/models.ts'
import { lockTenant } from '../../db/transaction.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import type { Resource } from '../changes/change.ts'
import { changeableColumns, type OfService, type Revisioned, upsertOf } from '../changes/row-update.ts'

interface Tenant {
  name: string
  created_at: Date
}

interface Declaration<Row> {
  /** The type of an activity's target, its id there, and the first half of its action. */
  noun: string
  /** The name in activities. */
  title: string
  /** The columns of a tenant that has stored none. */
  defaults(tenant: Tenant): Partial<Row>
  /** Columns of the tenant that are among those of the row. */
  of_tenant?: readonly Column<'Tenant'>[]
}

export interface TenantRow<Row extends Revisioned, Written extends keyof Row & string>
  extends Omit<Resource<Row, Written>, 'etag'> {
  etag(row: Pick<Row, 'revision'>): string
  read(ctx: DatabaseContext): Promise<Row>
  /** The row, once earlier changes of it are done; later changes wait until the transaction ends. */
  lock(ctx: MutationContext): Promise<Row>
}

/** Declares a table whose row of the tenant has this type. */
export const defineTenantRow =
  <Row extends Revisioned>() =>
  <Name extends ModelName>(
    model: Name,
    { noun, title, defaults, of_tenant = [] }: Declaration<Row>,
  ): TenantRow<Row, Exclude<Column<Name>, OfService> & keyof Row & string> => {
    const table = tableOf(model)
    const columns = [
      ...Object.entries(readColumns(model, 's')).map(([name, text]) => `${text} as ${name}`),
      ...of_tenant.map((name) => `t.${name}`),
    ].join(', ')
    const read_statement = scoped(
      `${noun}.read`,
      `select ${columns}, t.name as tenant_name, t.created_at as tenant_created_at
       from tenant t left join ${table} s on s.tenant_id = $1 and s.environment = $2 where t.id = $1`,
    )
    const lock_statement = scoped(
      `${noun}.lock`,
      `select ${columns} from ${table} s join tenant t on t.id = s.tenant_id
       where s.tenant_id = $1 and s.environment = $2 for update of s`,
    )

    async function read(ctx: DatabaseContext): Promise<Row> {
      const [found] = await sql<Row & { tenant_name: string; tenant_created_at: Date }>(ctx, read_statement)
      const { tenant_name: name, tenant_created_at: created_at, ...stored } = requireTenantRow(found)
      const row = stored as unknown as Row
      // A column that the row must have is null if there is no row.
      return row.revision === null
        ? { ...row, ...defaults({ name, created_at }), revision: 1, updated_at: created_at }
        : row
    }

    return {
      noun,
      etag: ({ revision }) => etagOf(revision),
      named: () => ({ id: noun, name: title }),
      write: upsertOf(model, { key: [], columns: changeableColumns(model, []) }) as never,
      read,
      async lock(ctx) {
        const [stored] = await sql<Row>(ctx, lock_statement)
        if (stored) return stored
        await lockTenant(ctx, `${tenancyOf(ctx).environment} ${noun}`)
        const [stored_meanwhile] = await sql<Row>(ctx, lock_statement)
        return stored_meanwhile ?? (await read(ctx))
      },
    }
  }
