/** The rows of a model by Prisma, in the caller's transaction: read by their key, inserted, changed and deleted. */
import { dbNull } from '../../db/database.ts'
import { type DatabaseContext, db, ownKey } from '../../db/db.ts'
import type { Prisma } from '../../db/generated/client/client.ts'
import { columnsOf, jsonColumnsOf, type ModelName } from '../../db/query/models.ts'
import { record } from '../../gateway/activity.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { OF_SERVICE, type OfService, type Revisioned, type RowsWrite } from '../changes/row-update.ts'

type Values = Readonly<Record<string, unknown>>

/** The operations of a model in Prisma's client. */
interface Delegate<Row> {
  findUnique(args: Values): Promise<Row | null>
  findFirst(args: Values): Promise<Row | null>
  create(args: Values): Promise<Row>
  updateManyAndReturn(args: Values): Promise<Row[]>
  deleteMany(args: Values): Promise<{ count: number }>
}

type CreateManyData<Name extends ModelName> =
  Prisma.TypeMap['model'][Name]['operations']['createMany']['args']['data']

/** The values of a new row. A column with a default, and one that may be null, may be left out. */
export type NewRow<Name extends ModelName> = Omit<
  Exclude<CreateManyData<Name>, readonly unknown[]>,
  OfService | 'id'
> & { id?: string }

interface Options {
  key: string
  /** Columns that are never read. */
  unread?: readonly string[]
}

export function prismaRows<Row extends Revisioned>(model: ModelName, { key, unread = [] }: Options) {
  const columns = new Set(columnsOf(model))
  const omit = Object.fromEntries(unread.map((column) => [column, true]))
  const times = ['created_at', 'updated_at'].filter((column) => columns.has(column))
  const name = model.charAt(0).toLowerCase() + model.slice(1)
  const rowsOf = (ctx: DatabaseContext) => db(ctx)[name as never] as unknown as Delegate<Row>

  const json = jsonColumnsOf(model)
  const written = columnsOf(model).filter((column) => !OF_SERVICE.some((one) => one === column))

  /** The values of columns that a write sets, for Prisma. */
  const dataOf = (values: object, names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((column) => {
        const value = (values as Values)[column]
        if (value === undefined) return []
        return [[column, value === null && json.has(column) ? dbNull() : value]]
      }),
    )

  const changesOf = (before: Row, after: Row) =>
    dataOf(
      after,
      written.filter((column) => after[column as keyof Row] !== before[column as keyof Row]),
    )

  /** Changes rows: those with the same changes in one statement. */
  const store: RowsWrite<Row, string>['store'] = async (ctx, rows, activity, options) => {
    const groups = Map.groupBy(rows, (row) => JSON.stringify(changesOf(...row)))
    const stored: Row[] = []
    for (const group of groups.values()) {
      const OR = group.map(([before]) => ({ [key]: before[key as keyof Row], revision: before.revision }))
      const [[before, after]] = group as [[Row, Row]]
      const now = columns.has('updated_at') ? { updated_at: ctx.now } : {}
      const data = { ...changesOf(before, after), ...now, revision: { increment: 1 } }
      stored.push(...(await rowsOf(ctx).updateManyAndReturn({ where: { OR }, data, omit })))
    }
    if (stored.length > 0) await record(ctx, activity, options)
    return stored
  }

  return {
    /** The row, if it meets the condition; `query` is of the field that answers with it. */
    read: (
      ctx: DatabaseContext,
      id: unknown,
      query: object = {},
      condition: object = {},
    ): Promise<Row | null> =>
      rowsOf(ctx).findUnique({
        ...query,
        where: { [`tenant_id_environment_${key}`]: ownKey(ctx, { [key]: id }), ...condition },
        omit,
      }),
    /** A row with these values, other than the one with this key, if there is one. */
    other: (ctx: MutationContext, values: Values, id: unknown): Promise<Row | null> =>
      rowsOf(ctx).findFirst({
        where: { ...values, ...(id !== undefined && { NOT: { [key]: id } }) },
        omit,
      }),
    insert: (ctx: MutationContext, values: object, query: object): Promise<Row> =>
      rowsOf(ctx).create({
        ...query,
        data: { ...dataOf(values, written), ...Object.fromEntries(times.map((column) => [column, ctx.now])) },
        omit,
      }),
    store,
    /** False if its stored revision is not the locked one. */
    remove: async (ctx: MutationContext, row: Row): Promise<boolean> => {
      const where = { [key]: row[key as keyof Row], revision: row.revision }
      return (await rowsOf(ctx).deleteMany({ where })).count > 0
    },
  }
}
