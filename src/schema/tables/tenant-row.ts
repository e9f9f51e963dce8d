/**
 * Declared tables whose rows every tenant has in an environment: settings, or a row for each of some keys. Before a caller
 * first changes a row it is not stored, and the defaults count, so that a missing row is never an error.
 */
import { requireTenantRow } from '../../access/credentials/credential.ts'
import { type DatabaseContext, scoped, sql, tenancyOf } from '../../db/db.ts'
import type { RaisedEvent } from '../../db/live/raise.ts'
import { type Column, keyOfModel, type ModelName, readColumns, tableOf } from '../../db/query/models.ts'
import { lockTenant } from '../../db/transaction.ts'
import { found, type UnknownIdCode } from '../../errors/errors.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import type { Resource } from '../changes/change.ts'
import { changeableColumns, type OfService, type Revisioned, upsertOf } from '../changes/row-update.ts'

interface Tenant {
  name: string
  created_at: Date
}

interface Keys {
  /** The values of the column that tells the rows apart, in the order in which they are read. */
  values: readonly string[]
  /** The refusal of another value. */
  not_found: UnknownIdCode
}

interface Declaration<Row> {
  /** The type of an activity's target, and the first half of its action. */
  noun: string
  /** The name in activities. */
  title: string | ((row: Row) => string)
  /** The columns of a row that is not stored, and those that no table has. */
  defaults(tenant: Tenant, key: string): Partial<Row>
  /** Columns of the tenant that are among those of the row. */
  of_tenant?: readonly Column<'Tenant'>[]
  /** The keys of the rows. A tenant has one row if it is left out. */
  keys?: Keys
  /** The revision alone if it is left out. */
  etag?(row: Row): string
  /** The events that an activity raises. */
  events?(verb: string, row: Row, before: Row | null): readonly RaisedEvent[]
}

export interface TenantRow<Row extends Revisioned, Written extends keyof Row & string>
  extends Omit<Resource<Row, Written>, 'etag'> {
  etag(row: Row): string
  read(ctx: DatabaseContext, key?: string): Promise<Row>
  readAll(ctx: DatabaseContext): Promise<Row[]>
  /** The row, once earlier changes of it are done; later changes wait until the transaction ends. */
  lock(ctx: MutationContext, key?: string): Promise<Row>
}

/** A row as it is selected: null in all columns of the table if it is not stored. */
type Selected<Row> = Row & { tenant_name: string; tenant_created_at: Date }

/** Declares a table whose rows of the tenant have this type. */
export const defineTenantRow =
  <Row extends Revisioned>() =>
  <Name extends ModelName>(
    model: Name,
    { noun, title, defaults, of_tenant = [], keys, etag, events }: Declaration<Row>,
  ): TenantRow<Row, Exclude<Column<Name>, OfService> & keyof Row & string> => {
    const table = tableOf(model)
    const key = keys && (keyOfModel(model).column as keyof Row & string)
    const { tenant_id: _tenant_id, environment: _environment, ...stored } = readColumns(model, 's')
    const columns = [
      ...Object.entries(stored).map(([name, text]) => `${text} as ${name}`),
      ...of_tenant.map((name) => `t.${name}`),
      't.name as tenant_name, t.created_at as tenant_created_at',
    ].join(', ')
    const read_statement = scoped(
      `${noun}.read`,
      `select ${columns} from tenant t left join ${table} s on s.tenant_id = $1 and s.environment = $2 where t.id = $1`,
    )
    const lock_statement = scoped(
      `${noun}.lock`,
      `select ${columns} from ${table} s join tenant t on t.id = s.tenant_id
       where s.tenant_id = $1 and s.environment = $2${key ? ` and s.${key} = $3` : ''} for update of s`,
    )

    function rowOf(
      { tenant_name: name, tenant_created_at: created_at, ...row }: Selected<Row>,
      of_key: string,
    ): Row {
      const selected = row as unknown as Row
      const of_default = { ...defaults({ name, created_at }, of_key), ...(key && { [key]: of_key }) }
      if (selected.revision !== null && (!key || selected[key] === of_key))
        return { ...of_default, ...selected }
      const unstored = Object.fromEntries(Object.keys(stored).map((column) => [column, null]))
      return { ...selected, ...unstored, ...of_default, revision: 1, updated_at: created_at }
    }

    async function readAll(
      ctx: DatabaseContext,
      among: readonly string[] = keys?.values ?? [''],
    ): Promise<Row[]> {
      const rows = await sql<Selected<Row>>(ctx, read_statement)
      const any = requireTenantRow(rows[0])
      return among.map((of_key) => rowOf(rows.find((row) => key && row[key] === of_key) ?? any, of_key))
    }

    /** 404 for a key that no row has. */
    function checkKey(of_key: string): void {
      if (keys)
        found(
          keys.values.find((value) => value === of_key),
          keys.not_found,
          of_key,
        )
    }

    async function read(ctx: DatabaseContext, of_key = ''): Promise<Row> {
      checkKey(of_key)
      const [row] = await readAll(ctx, [of_key])
      return row as Row
    }

    return {
      noun,
      ...(events && { events }),
      etag: etag ?? (({ revision }) => etagOf(revision)),
      named: (row) => ({
        id: key ? String(row[key]) : noun,
        name: typeof title === 'string' ? title : title(row),
      }),
      write: upsertOf(model, {
        key: (key ? [key] : []) as never,
        columns: changeableColumns(model, (key ? [key] : []) as never),
      }) as never,
      read,
      readAll: (ctx) => readAll(ctx),
      async lock(ctx, of_key = '') {
        checkKey(of_key)
        const stored_row = async () =>
          (await sql<Selected<Row>>(ctx, lock_statement, key ? [of_key] : [])).map((row) =>
            rowOf(row, of_key),
          )[0]
        const row = await stored_row()
        if (row) return row
        await lockTenant(ctx, `${tenancyOf(ctx).environment} ${noun}`)
        return (await stored_row()) ?? (await read(ctx, of_key))
      },
    }
  }
