/**
 * Declared tables. A declaration names the model, and all that is usual follows from it: its rows are read, locked, listed,
 * inserted, changed and deleted with their tenancy, visibility, `If-Match`, activity, revision and entity tag. The columns
 * are those of the Prisma model.
 */
import type { ObjectRef } from '@pothos/core'
import { type DatabaseContext, tenancyOf } from '../../db/db.ts'
import { allOf, type Fragment, type Parameters, select } from '../../db/query/fragment.ts'
import { descending } from '../../db/query/keyset.ts'
import { type Column, keyOfModel, type ModelName, readColumns, tableOf } from '../../db/query/models.ts'
import { projectionOf } from '../../db/query/projection.ts'
import { lockTenant } from '../../db/transaction.ts'
import { ApiError, type ErrorCode, found } from '../../errors/errors.ts'
import { record } from '../../gateway/activity.ts'
import type { Context, MutationContext } from '../../gateway/context.ts'
import { checkIfMatch, etagOf } from '../../gateway/entity-tags.ts'
import { newId } from '../../lib/ids.ts'
import type { SchemaTypes } from '../builder.ts'
import { StaleRow, targetOf } from '../changes/change.ts'
import type { OfService, Revisioned } from '../changes/row-update.ts'
import { filtersOf } from '../lists/column-filters.ts'
import { rowLoader } from '../lists/data-loader.ts'
import { defineList } from '../lists/list.ts'
import { NO_FIELDS } from '../selection.ts'
import type { Declaration, Id, Query, Table, Unique } from './declaration.ts'
import { type NewRow, prismaRows } from './prisma-rows.ts'
import { versionsOf } from './versions.ts'

/** The order of most lists. */
const NEWEST_FIRST = [descending('created_at', 'timestamptz'), descending('id', 'text')]

/** Declares a table whose rows are of this type. */
export function defineTable<Row extends Revisioned, State extends string = never>() {
  return <
    Name extends ModelName,
    const Constant extends Column<Name> = never,
    const Unread extends Column<Name> = never,
  >(
    model: Name,
    declaration: Declaration<Row, State, Constant, Unread>,
  ): Table<Name, Row, Exclude<keyof Row & Column<Name>, OfService | Constant | 'id'>, State> => {
    const { alias, noun, type, argument, description, not_found, prefix, state } = declaration
    const {
      recorded,
      events,
      title,
      where,
      visible,
      seen,
      parameters = {},
      unique = {},
      computed = {},
      computed_by_prisma = {},
      unread = [],
      tagged = [],
    } = declaration
    const { column: key, type: key_type } = keyOfModel(model)
    const table = tableOf(model)
    const from = `${table} ${alias}`
    const stored = readColumns(model, alias)
    for (const column of unread) delete stored[column]
    const columns = projectionOf({ ...stored, ...computed }, [key, 'revision'])
    const for_update = ` for update of ${alias}`
    const rows = prismaRows<Row>(model, { key, unread })
    const idOf = (row: Row) => row[key as keyof Row] as Id
    const named = (row: Row) => ({
      id: String(idOf(row)),
      name: title?.(row) ?? (row as unknown as { name: string }).name,
    })
    const etag = declaration.etag ?? (({ revision }: Row) => etagOf(revision))
    const parametersOf = (ctx: Context): Parameters =>
      Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, value(ctx)]))

    /** The row that the caller sees, by SQL. */
    async function one(ctx: Context, id: Id, selected: string, lock = ''): Promise<Row | undefined> {
      const { text, values } = allOf([...(where ? [{ text: where }] : []), ...[visible?.(ctx) ?? []].flat()])
      const statement = `select ${selected} from ${from} where ${alias}.tenant_id = $1 and ${alias}.environment = $2
        and ${alias}.${key} = $key::${key_type}${text}${lock}`
      const given = { ...parametersOf(ctx), key: id }
      return (await select<Row>(ctx, `${table}.one`, { text: statement, values }, given))[0]
    }

    const some = (
      ctx: MutationContext,
      { text, values = [] }: Fragment,
      given: Parameters,
      selected: string,
      lock = '',
    ) =>
      select<Row>(
        ctx,
        `${table}.some`,
        {
          text: `select ${selected} from ${from} where ${alias}.tenant_id = $1 and ${alias}.environment = $2
            and ${text} order by ${alias}.${key}${lock}`,
          values,
        },
        given,
      )

    const serialise = (ctx: MutationContext) => lockTenant(ctx, `${tenancyOf(ctx).environment} ${table}`)

    async function refuseTaken(ctx: MutationContext, row: Row, changed: Partial<Row>): Promise<void> {
      for (const [code, { columns, among, details }] of Object.entries<Unique<Row>>(unique)) {
        const values = Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
        const is_new = columns.some((column) => column in changed)
        if (!is_new || Object.values(values).includes(null)) continue
        const other = await rows.other(ctx, { ...values, ...among }, idOf(row))
        if (other) throw new ApiError(code as 'not_found', { details: (details?.(other) ?? {}) as never })
      }
    }

    const withIds = (ctx: MutationContext, ids: readonly Id[], wanted: ReadonlySet<string> | null) => {
      // Callers alone write rows whose SQL has parameters.
      const given = { ...parametersOf(ctx as Context), ids }
      return some(ctx, { text: `${alias}.${key} = any($ids::${key_type}[])` }, given, columns.select(wanted))
    }

    const by_prisma = Object.keys(computed).every((column) => column in computed_by_prisma)

    /** The row that Prisma reads by the query, with the computed columns that are wanted. */
    async function withComputed(
      ctx: DatabaseContext,
      wanted: ReadonlySet<string> | null,
      query: Query,
      readBy: (query: Query) => Promise<Row | null>,
    ): Promise<Row | null> {
      const made = Object.entries(computed_by_prisma).filter(
        ([column]) => !wanted || wanted.has(column) || (tagged as readonly string[]).includes(column),
      )
      const include = Object.assign({}, query.include, ...made.map(([, { include }]) => include))
      const row = await readBy({ ...query, ...(Object.keys(include).length > 0 && { include }) })
      if (!row) return null
      const values = await Promise.all(made.map(async ([column, { of }]) => [column, await of(row, ctx)]))
      return { ...row, ...Object.fromEntries(values) }
    }

    /** The columns of the row, without the relations that Prisma included. */
    const columnsIn = (row: Row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => name in stored || name in computed)) as Row

    async function insert(ctx: MutationContext, values: NewRow<Name>, query: Query = {}): Promise<Row> {
      const row = { ...(prefix && { [key]: newId(prefix) }), ...values } as unknown as Row
      await refuseTaken(ctx, row, row)
      if (by_prisma)
        return (await withComputed(ctx, null, query, (whole) => rows.insert(ctx, row, whole))) as Row
      const stored = await rows.insert(ctx, row, {})
      return found((await withIds(ctx, [idOf(stored)], null))[0], not_found, idOf(stored))
    }

    const lock = async (ctx: Context, id: Id): Promise<Row> => {
      if (declaration.serialised) await serialise(ctx)
      return found(await one(ctx, id, columns.select(null), for_update), not_found, id)
    }

    const options = {
      type: (key_type === 'int' ? 'Int' : 'ID') as never,
      required: true as const,
      description,
      ...(key_type === 'int' && { unknown: not_found }),
    }
    const versions =
      declaration.versions && versionsOf(declaration.versions, { name: table, argument, key, options })

    return {
      noun,
      etag,
      named,
      ...(state && { state }),
      ...(recorded && { recorded }),
      ...(events && { events }),
      ...(versions && { versions }),
      refuseTaken,
      write: (declaration.write as undefined) ?? { key: [key as keyof Row & string], store: rows.store },
      type: type as ObjectRef<SchemaTypes, Row>,
      not_found,
      argument,
      key: options,
      from,
      columns,
      by: filtersOf(model, alias),
      taken: Object.keys(unique) as ErrorCode[],
      by_prisma,
      async read(ctx, id, query = {}, wanted = NO_FIELDS) {
        const readBy = (whole: Query) => rows.read(ctx, id, whole, seen?.(ctx))
        const row = found(await withComputed(ctx, wanted, query, readBy), not_found, id)
        // Visibility is asked after the read: nothing newer than what the caller may see is answered.
        if (where || (!seen && visible?.(ctx))) found(await one(ctx, id, `${alias}.${key}`), not_found, id)
        return row
      },
      find: (ctx, id) => rows.read(ctx, id),
      select: async (ctx, id, wanted) =>
        found(await one(ctx, id, columns.select(wanted, tagged)), not_found, id),
      load: rowLoader(withIds, idOf),
      lock,
      lockIfThere: async (ctx, id) =>
        (
          await some(
            ctx,
            { text: `${alias}.${key} = $id::${key_type}` },
            { id },
            columns.select(null),
            for_update,
          )
        )[0],
      lockAll: (ctx, condition, given = {}) => some(ctx, condition, given, columns.select(null), for_update),
      serialise,
      list: (list) =>
        defineList<Row>()({
          order: NEWEST_FIRST,
          columns,
          ...(where && { where }),
          ...(visible && { visible }),
          ...list,
          from,
          parameters: { ...parameters, ...list.parameters },
        }),
      insert: (ctx, values) => insert(ctx, values),
      async create(ctx, values, action = `${noun}.created`, query = {}) {
        if (declaration.serialised) await serialise(ctx)
        const row = await insert(ctx, values, query)
        await versions?.store(ctx as Context, row)
        const after = (recorded ?? columnsIn)(row)
        const raised = events?.(action.slice(noun.length + 1), row, null) ?? []
        const activity = { action, targets: [targetOf({ noun }, named(row))], after, events: raised }
        await record(ctx, activity, { last: true })
        return row
      },
      async remove(ctx, id, { check, beforeDelete } = {}) {
        const row = await lock(ctx, id)
        checkIfMatch(ctx, etag(row, ctx))
        check?.(row)
        await beforeDelete?.(row)
        if (!(await rows.remove(ctx, row))) throw new StaleRow(noun)
        const raised = events?.('deleted', row, row) ?? []
        const targets = [targetOf({ noun }, named(row))]
        await record(ctx, { action: `${noun}.deleted`, targets, before: row, events: raised }, { last: true })
        return row
      },
    }
  }
}
